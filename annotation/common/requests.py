"""Requests of scripts on pages: a JSON object in, JSON out, errors in the one shape of ``webapp.common.errors``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, NoReturn

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext

from webapp.common.errors import ApplicationError, InvalidInput, error_body

MOST_BYTES = 1_000_000
LONGEST_KEY = 80


def answers_json(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Answer all exceptions of this view as JSON, including an error's ``extra`` (``version``, ``content``)."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except ApplicationError as error:
            body = error_body(error.code, error.message, field=error.field) | dict(getattr(error, "extra", {}))
            return JsonResponse(body, status=error.status)
        except Http404:
            return JsonResponse(error_body("not_found", gettext("Not found, or you don't have access.")), status=404)

    return answer


def body_of(request: HttpRequest) -> Mapping[str, Any]:
    """The JSON object that was sent; nothing sent is an empty one. Raises ``InvalidInput``."""
    if len(request.body) > MOST_BYTES:
        raise InvalidInput(
            gettext("The request is larger than %(limit)s bytes. Shorten the texts.") % {"limit": MOST_BYTES},
            code="too_large",
            status=413,
        )
    try:
        data = json.loads(request.body or b"{}", parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(gettext("The request is not valid JSON. Reload the page.")) from error
    if not isinstance(data, dict):
        raise InvalidInput(gettext("The request is not a JSON object. Reload the page."))
    return data


def key_of(request: HttpRequest) -> str:
    """The ``Idempotency-Key`` of the request, or "". Raises ``InvalidInput`` when it is too long."""
    key = request.headers.get("Idempotency-Key", "")
    if len(key) > LONGEST_KEY or not key.isprintable():
        raise InvalidInput(
            gettext("An Idempotency-Key can have at most %(limit)s printable characters.") % {"limit": LONGEST_KEY}
        )
    return key


def text_of(data: Mapping[str, Any], name: str, *, longest: int = 5000) -> str:
    """A text of the request, trimmed; absent is "". Raises ``InvalidInput``."""
    value = data.get(name, "")
    if not isinstance(value, str) or len(value) > longest or "\0" in value:
        raise InvalidInput(
            gettext("%(name)s must be a text of at most %(limit)s characters.") % {"name": name, "limit": longest},
            field=name,
        )
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise InvalidInput(
            gettext("%(name)s contains an invalid character. Type the text again.") % {"name": name}, field=name
        )
    return value.strip()


def whole_of(data: Mapping[str, Any], name: str) -> int:
    """A whole number from 0 on. Raises ``InvalidInput``."""
    value = data.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise InvalidInput(gettext("%(name)s must be a whole number of 0 or more.") % {"name": name}, field=name)
    return value


def number_of(data: Mapping[str, Any], name: str) -> float | None:
    """A finite number, or None when absent. Raises ``InvalidInput``."""
    value = data.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e9:
        raise InvalidInput(gettext("%(name)s must be a number.") % {"name": name}, field=name)
    return float(value)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def flag_of(data: Mapping[str, Any], name: str) -> bool:
    value = data.get(name, False)
    if not isinstance(value, bool):
        raise InvalidInput(gettext("%(name)s must be true or false.") % {"name": name}, field=name)
    return value


def texts_of(data: Mapping[str, Any], name: str) -> list[str]:
    """A list of texts, empty when missing. Raises ``InvalidInput`` for anything else."""
    value = data.get(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InvalidInput(gettext("%(name)s must be a list of texts.") % {"name": name}, field=name)
    return value
