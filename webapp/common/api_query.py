"""What the address of a request of the API says under a name, as the description says it: once, and of its form."""

from __future__ import annotations

from collections.abc import Collection

from rest_framework.request import Request

from webapp.common.api_schema import NUMBER
from webapp.common.errors import InvalidInput


def said(request: Request, name: str, default: str = "") -> str:
    """The value under this name, ``default`` where there is none. Raises ``InvalidInput`` where there are several: an
    answer about the last of them would pass for one about all."""
    values = request.query_params.getlist(name)
    if len(values) > 1:
        raise InvalidInput(f"{name} is given {len(values)} times. Give it once.", field=name)
    return values[0] if values else default


def one_of(request: Request, name: str, allowed: Collection[str], default: str) -> str:
    """One of a few words, ``default`` where none is given. Raises ``InvalidInput`` for another one."""
    if name not in request.query_params:
        return default
    word = said(request, name)
    if word not in allowed:
        raise InvalidInput(f"{name} is one of {', '.join(allowed)}.", field=name)
    return word


def number_of(request: Request, name: str, what: str, most: int = NUMBER["maximum"]) -> int | None:
    """A whole number from 1 to ``most``, None where none is given. ``what`` names it in the message.

    Raises ``InvalidInput`` for anything else.
    """
    if name not in request.query_params:
        return None
    text = said(request, name)
    digits = text if text.isascii() and text.isdigit() else "0"
    if len(digits) > len(str(most)) or not 1 <= int(digits) <= most:
        raise InvalidInput(f"{name} is {what}: a whole number from 1.", field=name)
    return int(digits)
