"""Pages by key: as fast at the end of a long list as at its start, and no row twice or missed while rows are added."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext, gettext_noop

from webapp.common.errors import InvalidInput

Row = TypeVar("Row", bound=Model)
_STALE = gettext_noop("This page doesn't exist. Start from the first page.")


@dataclass(frozen=True)
class Page(Generic[Row]):
    """The rows of one page, and the keys to put in the address (?after=…) for the next."""

    rows: list[Row]
    after: str = ""

    @property
    def has_next(self) -> bool:
        return bool(self.after)


def page_after(rows: QuerySet[Row], key: str, *, order: Sequence[str], size: int) -> Page[Row]:
    """The `size` rows that follow `key` ("" for the first) in `order`: field names, "-" for falling.

    The fields are never null and the last one is unique, so that the order is total. One query.
    """
    try:
        if key:
            rows = rows.filter(_beyond(order, _read(key, len(order))))
        found = list(rows.order_by(*order)[: size + 1])
    except (ValidationError, TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(gettext(_STALE), code="stale_page", field="after") from error
    shown = found[:size]
    return Page(shown, _write(shown[-1], order) if len(found) > size else "")


def _beyond(order: Sequence[str], values: Sequence[Any]) -> Q:
    """(a, b) > (x, y) written out: a > x, or a = x and b > y; < where a field falls."""
    beyond, equal = Q(), Q()
    for field, value in zip(order, values, strict=True):
        name = field.removeprefix("-")
        beyond |= equal & Q(**{f"{name}__{'lt' if field.startswith('-') else 'gt'}": value})
        equal &= Q(**{name: value})
    return beyond


def _write(row: Model, order: Sequence[str]) -> str:
    values = [getattr(row, field.removeprefix("-")) for field in order]
    plain = [value.isoformat() if isinstance(value, datetime) else value for value in values]
    return base64.urlsafe_b64encode(json.dumps(plain, default=str).encode()).decode().rstrip("=")


def _read(key: str, length: int) -> list[Any]:
    try:
        values = json.loads(base64.urlsafe_b64decode(key + "=" * (-len(key) % 4)))
    except (binascii.Error, ValueError) as error:
        raise InvalidInput(gettext(_STALE), code="stale_page", field="after") from error
    if not isinstance(values, list) or len(values) != length or any(isinstance(v, list | dict) for v in values):
        raise InvalidInput(gettext(_STALE), code="stale_page", field="after")
    return values
