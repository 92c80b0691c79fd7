"""The base of the API: who may ask, how often, how pages follow each other, and what an error looks like."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import AnonRateThrottle, UserRateThrottle
from rest_framework.views import exception_handler

from webapp.common.errors import ApplicationError, error_body


class KeysetPagination(CursorPagination):
    """Pages by the key of the last row, so that the thousandth is as fast as the first and none repeats.

    A view names its own total order where "-pk" is not the one to show.
    """

    ordering = "-pk"
    page_size = 100
    page_size_query_param = "limit"
    max_page_size = 1000


class PersonThrottle(UserRateThrottle):
    """Requests of one signed-in person; visitors have their own limit."""

    scope = "person"

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        return super().get_cache_key(request, view) if request.user and request.user.is_authenticated else None


class VisitorThrottle(AnonRateThrottle):
    """Requests from one address without sign-in."""

    scope = "visitor"


def error_answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """Every error of the API in one JSON shape; none for faults, which are Django's to log and answer."""
    if isinstance(error, ApplicationError):
        return Response(error_body(error.code, error.message, field=error.field), status=error.status)
    # The library's handler sets the headers (WWW-Authenticate, Retry-After) and rolls back; only its body is replaced.
    response = exception_handler(error, context)
    if response is None:
        return None
    response.data = _body(error)
    return response


def _body(error: Exception) -> dict[str, Any]:
    if isinstance(error, Http404):
        return error_body("not_found", "There is nothing here, or not for you.")
    if isinstance(error, PermissionDenied):
        return error_body("not_allowed", str(error) or "You do not have the right for this.")
    if isinstance(error, exceptions.ValidationError):
        return _invalid(error)
    if isinstance(error, exceptions.APIException):
        codes = error.get_codes()
        return error_body(codes if isinstance(codes, str) else error.default_code, str(error.detail))
    return error_body("invalid", str(error))


def _invalid(error: exceptions.ValidationError) -> dict[str, Any]:
    """All that is wrong with the input in details; the first of it as the message."""
    details = list(_flatten(error.detail))
    field, message = details[0]
    listed = [{"field": name or None, "message": text} for name, text in details]
    return error_body("invalid", f"{field}: {message}" if field else message, field=field or None, details=listed)


def _flatten(detail: Any, path: str = "") -> list[tuple[str, str]]:
    if isinstance(detail, dict):
        pairs = [(f"{path}.{name}" if path else str(name), inner) for name, inner in detail.items()]
        pairs = [(path if name.endswith("non_field_errors") else name, inner) for name, inner in pairs]
        return [found for name, inner in pairs for found in _flatten(inner, name)]
    if isinstance(detail, list):
        return [found for inner in detail for found in _flatten(inner, path)]
    return [(path, str(detail))]
