"""Queries whose text is made once. Where one is asked with every request, building it takes longer than answering it.

The queryset stays the only definition: it is built with stand-ins, and each is exchanged for the value of the moment.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import QuerySet

Value = int | datetime
NUMBERS = 31_000
"""Where stand-ins for numbers begin: within every whole-number column, and no number that our queries hold."""
MOMENT = datetime(1971, 3, 4, 5, 6, 7, 89, UTC)
"""Where stand-ins for moments begin, a year apart."""


class Prepared:
    """A SELECT of plain columns. ``build`` makes its queryset from as many numbers or moments as ``kinds`` names."""

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], *kinds: type[Value]) -> None:
        self._build = build
        self._kinds = kinds
        self._made: dict[str, tuple[str, list[tuple[int | None, Any]]]] = {}

    def rows(self, *values: Value) -> list[tuple[Any, ...]]:
        """What is found for these values, which stand in the order of the kinds."""
        connection = connections[DEFAULT_DB_ALIAS]
        if connection.vendor not in self._made:
            self._made[connection.vendor] = self._make(connection)
        text, places = self._made[connection.vendor]
        given = [_adapted(connection, value) for value in values]
        params = [kept if at is None else given[at] for at, kept in places]
        with connection.cursor() as cursor:
            cursor.execute(text, params)
            return list(cursor.fetchall())

    @property
    def _stand_ins(self) -> list[Value]:
        return [
            NUMBERS + at if kind is int else MOMENT.replace(year=MOMENT.year + at)
            for at, kind in enumerate(self._kinds)
        ]

    def _make(self, connection: Any) -> tuple[str, list[tuple[int | None, Any]]]:
        stand_ins = self._stand_ins
        text, params = self._build(*stand_ins).query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
        known = {_adapted(connection, value): at for at, value in enumerate(stand_ins)}
        places = [(known.get(one) if isinstance(one, int | str | datetime) else None, one) for one in params]
        missing = set(known.values()) - {at for at, _ in places}
        if missing:
            raise ValueError(f"The query does not ask for the values {sorted(missing)} as they are.")
        return text, places


def _adapted(connection: Any, value: Value) -> Any:
    return connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value
