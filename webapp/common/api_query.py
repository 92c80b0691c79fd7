"""Reads parameters in the address of API requests exactly as described: at most once, and of the given form."""

from __future__ import annotations

from collections.abc import Collection

from rest_framework.request import Request

from webapp.common.api_schema import NUMBER
from webapp.common.errors import InvalidInput


def said(request: Request, name: str, default: str = "") -> str:
    """Return the value of this name, ``default`` if it is missing. Raises ``InvalidInput`` if it is repeated, because a
    response for the last value could be mistaken for one for all.
    """
    values = request.query_params.getlist(name)
    if len(values) > 1:
        raise InvalidInput(f"{name} is given {len(values)} times. Give it once.", field=name)
    return values[0] if values else default


def one_of(request: Request, name: str, allowed: Collection[str], default: str) -> str:
    """Return one of a few words, ``default`` if it is missing. Raises ``InvalidInput`` for any other one."""
    if name not in request.query_params:
        return default
    word = said(request, name)
    if word not in allowed:
        raise InvalidInput(f"{name} is one of {', '.join(allowed)}.", field=name)
    return word


def number_of(request: Request, name: str, what: str, most: int = NUMBER["maximum"]) -> int | None:
    """Return a whole number from 1 to ``most``, None if it is missing. ``what`` names it in the message.

    Raises ``InvalidInput`` for anything else.
    """
    if name not in request.query_params:
        return None
    text = said(request, name)
    digits = text if text.isascii() and text.isdigit() else "0"
    if len(digits) > len(str(most)) or not 1 <= int(digits) <= most:
        raise InvalidInput(f"{name} is {what}: a whole number from 1.", field=name)
    return int(digits)
