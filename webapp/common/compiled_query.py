"""Questions whose text is made once. Where one is asked with every request, building it takes longer than asking it.

The queryset stays the only definition: it is built with stand-ins, and each is exchanged for the value of the moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import QuerySet
from django.db.models.query import get_related_populators

Value = int | str
PLACEHOLDERS: Mapping[type[Value], Callable[[int], Value]] = {
    # Within every whole-number column, and no number that our queries hold.
    int: lambda at: 31_000 + at,
    str: lambda at: f"stand-in {at}",
}


class Made(NamedTuple):
    """The text, for each of its parameters the place of the value or the parameter itself, and what compiled it."""

    text: str
    places: list[tuple[int | None, Any]]
    compiler: Any


class CompiledQuery:
    """``build`` makes the queryset of as many values as ``kinds`` names."""

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], *kinds: type[Value]) -> None:
        self._build = build
        self._kinds = kinds
        self._made: dict[str, Made] = {}
        self._objects: dict[str, _Objects] = {}

    def rows(self, *values: Value) -> list[tuple[Any, ...]]:
        """The plain columns found for these values, which stand in the order of the kinds."""
        found: list[tuple[Any, ...]] = self._ask(values, lambda cursor: cursor.fetchall())
        return found

    def first(self, *values: Value) -> Any:
        """The first object found, with what its queryset selects along, or None."""
        row = self._ask(values, lambda cursor: cursor.fetchone())
        if row is None:
            return None
        if connection.vendor not in self._objects:
            self._objects[connection.vendor] = _Objects(self._made_for(connection.vendor).compiler)
        return self._objects[connection.vendor].made_of(row)

    def _ask(self, values: tuple[Value, ...], result: Callable[[Any], Any]) -> Any:
        made = self._made_for(connection.vendor)
        with connection.cursor() as cursor:
            cursor.execute(made.text, [kept if at is None else values[at] for at, kept in made.places])
            return result(cursor)

    def _made_for(self, vendor: str) -> Made:
        if vendor not in self._made:
            self._made[vendor] = self._make()
        return self._made[vendor]

    def _make(self) -> Made:
        stand_ins = [PLACEHOLDERS[kind](at) for at, kind in enumerate(self._kinds)]
        compiler: Any = self._build(*stand_ins).query.get_compiler(connection.alias)
        text, params = compiler.as_sql()
        places = [(stand_ins.index(one) if one in stand_ins else None, one) for one in params]
        missing = set(range(len(stand_ins))) - {at for at, _ in places}
        if missing:
            raise ValueError(f"The statement does not take the values {sorted(missing)} as they are.")
        return Made(text, places, compiler)


class _Objects:
    """Makes objects of rows as Django does, from what it found out when it compiled the query."""

    def __init__(self, compiler: Any) -> None:
        info, select = compiler.klass_info, compiler.select
        self._compiler = compiler
        self._converters = compiler.get_converters([column for column, _, _ in select])
        self._model = info["model"]
        self._part = slice(info["select_fields"][0], info["select_fields"][-1] + 1)
        self._names = [column.target.attname for column, _, _ in select[self._part]]
        along: Any = get_related_populators  # Known to the types with an argument of a later Django.
        self._along = along(info, select, connection.alias)

    def made_of(self, row: tuple[Any, ...]) -> Any:
        if self._converters:
            row = next(iter(self._compiler.apply_converters([row], self._converters)))
        made = self._model.from_db(connection.alias, self._names, row[self._part])
        for related in self._along:
            related.populate(row, made)
        return made
