"""The base of the API: how often one may ask, and what an error looks like."""

import math
from collections.abc import Iterable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions, serializers
from rest_framework.fields import empty
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.utils import html

from webapp.common.api_schema import WITHOUT_NUL
from webapp.common.errors import ApplicationError, error_body
from webapp.common.limits import Rate, asking

PERSON, VISITOR = Rate("api"), Rate("api-visitor")
NOT_BLANK = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"


class TextField(serializers.RegexField):
    """A text, exactly as described: numbers and the character NUL are rejected, and so are only spaces if it may not be
    blank. Surrounding spaces are dropped unless ``trimmed`` is False. ``pattern``: for a text of a stricter form.
    """

    def __init__(
        self, *, allow_blank: bool = False, trimmed: bool = True, pattern: str | None = None, **options: Any
    ) -> None:
        pattern = pattern or (WITHOUT_NUL if allow_blank else NOT_BLANK)
        super().__init__(pattern, allow_blank=allow_blank, trim_whitespace=False, **options)
        if pattern == NOT_BLANK:
            self.error_messages["invalid"] = "Enter text that isn't blank."
        self._trimmed = trimmed

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))

    def run_validation(self, data: Any = empty) -> Any:
        text = super().run_validation(data)
        return text.strip() if self._trimmed and isinstance(text, str) else text


class TruthField(serializers.BooleanField):
    """True or false. Texts and numbers are rejected in JSON; the fields of a form are always texts."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, bool) and not html.is_html_input(getattr(self.root, "initial_data", None)):
            self.fail("invalid", input=data)
        return super().to_internal_value(data)


class WordField(serializers.ChoiceField):
    """One of a few values, of their type: the text 1 is not the number 1."""

    def to_internal_value(self, data: Any) -> Any:
        known = ("", *self.choices)
        if isinstance(data, bool) or not any(
            data == one and isinstance(data, str) == isinstance(one, str) for one in known
        ):
            self.fail("invalid_choice", input=data)
        return super().to_internal_value(data)


class _Numeric:
    """Texts and truth values are no numbers."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, bool) or not isinstance(data, int | float):
            self.fail("invalid")  # type: ignore[attr-defined]
        return super().to_internal_value(data)  # type: ignore[misc]


class NumberField(_Numeric, serializers.FloatField):
    """A number, just as the description says."""


class WholeNumberField(_Numeric, serializers.IntegerField):
    """A whole number, just as the description says."""


class Throttle(BaseThrottle):
    """Requests of one signed-in person, or from one address without sign-in."""

    def __init__(self) -> None:
        self._wait = 0.0

    def allow_request(self, request: Request, view: Any) -> bool:
        self._wait = (PERSON if request.user.is_authenticated else VISITOR).over(asking(request))
        return not self._wait

    def wait(self) -> float:
        return self._wait


def error_answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """Every error of the API in one JSON shape; none for faults, which are Django's to log and answer."""
    if isinstance(error, ApplicationError):
        return Response(
            error_body(error.code, error.message, field=error.field), status=error.status, headers=dict(error.headers)
        )
    # Not at the top: the library's views import this module by the names in the settings.
    from rest_framework.views import exception_handler

    # The library's handler sets the headers (WWW-Authenticate, Retry-After) and rolls back; only its body is replaced.
    response = exception_handler(error, context)
    if response is None:
        return None
    response.data = _body(error, context["view"])
    return response


def _body(error: Exception, view: Any) -> dict[str, Any]:
    if isinstance(error, Http404):
        return error_body("not_found", "Not found, or you don't have access. Check the address and the token.")
    if isinstance(error, PermissionDenied):
        return error_body("not_allowed", str(error) or "You don't have permission for this.")
    if isinstance(error, exceptions.ValidationError):
        return _invalid(error)
    if isinstance(error, exceptions.APIException):
        codes = error.get_codes()
        return error_body(codes if isinstance(codes, str) else error.default_code, _sentence(error, view))
    return error_body("invalid", str(error))


def _sentence(error: exceptions.APIException, view: Any) -> str:
    """Return what happened and what to do, if the library's message omits the second."""
    if isinstance(error, exceptions.NotAuthenticated):
        return "Send a token of your account page as Authorization: Bearer TOKEN, or sign in."
    if isinstance(error, exceptions.Throttled):
        return f"Too many requests. Try again in {math.ceil(getattr(error, 'wait', None) or 60)} s."
    if isinstance(error, exceptions.MethodNotAllowed):
        return f"This address takes {_listed(name for name in view.allowed_methods if name != 'OPTIONS')}."
    if isinstance(error, exceptions.NotAcceptable):
        return f"The answer is {_listed(one.media_type for one in view.renderer_classes)}: accept that, or say nothing."
    if isinstance(error, exceptions.UnsupportedMediaType):
        return f"This address takes {_listed(one.media_type for one in view.parser_classes)}. Say so in Content-Type."
    return str(error.detail)


def _listed(names: Iterable[str]) -> str:
    return " or ".join(sorted(names))


def _invalid(error: exceptions.ValidationError) -> dict[str, Any]:
    """All input errors as details, and the first of them as the message."""
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
