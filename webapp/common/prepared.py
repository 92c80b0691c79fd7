"""Statements whose text is made once. Where one is run with every request, building it takes longer than running it.

The queryset stays the only definition: it is built with stand-ins, and each is exchanged for the value of the moment.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql import DeleteQuery, UpdateQuery

Value = int | str | datetime | dict[str, Any]
NUMBERS = 31_000
"""Where stand-ins for numbers begin: within every whole-number column, and no number that our queries hold."""
MOMENT = datetime(1971, 3, 4, 5, 6, 7, 89, UTC)
"""Where stand-ins for moments begin, a year apart."""
STAND_INS: Mapping[type[Value], Callable[[int], Value]] = {
    int: lambda at: NUMBERS + at,
    str: lambda at: f"stand-in {at}",
    datetime: lambda at: MOMENT.replace(year=MOMENT.year + at),
    dict: lambda at: {"stand-in": at},
}


class Made(NamedTuple):
    """The text, for each of its parameters the place of the value or the parameter itself, and what compiled it."""

    text: str
    places: list[tuple[int | None, Any]]
    compiler: Any


class Statement(ABC):
    """``build`` makes what is compiled from as many values as ``kinds`` names; a dict is that of a JSON column."""

    def __init__(self, build: Callable[..., Any], *kinds: type[Value]) -> None:
        self._build = build
        self._kinds = kinds
        self._made: dict[str, Made] = {}

    @abstractmethod
    def _query(self, built: Any) -> Any:
        """Django's query of what ``build`` gave."""

    def _run(self, values: tuple[Value, ...], result: Callable[[Any], Any]) -> Any:
        """``result`` of the cursor that ran the statement for these values."""
        connection: Any = connections[DEFAULT_DB_ALIAS]
        made = self._made_for(connection)
        given = [_adapted(connection, value) for value in values]
        with connection.planned_cursor() as cursor:
            cursor.execute(made.text, [kept if at is None else given[at] for at, kept in made.places])
            return result(cursor)

    def _made_for(self, connection: Any) -> Made:
        if connection.vendor not in self._made:
            self._made[connection.vendor] = self._make(connection)
        return self._made[connection.vendor]

    def _make(self, connection: Any) -> Made:
        stand_ins = [STAND_INS[kind](at) for at, kind in enumerate(self._kinds)]
        compiler = self._query(self._build(*stand_ins)).get_compiler(DEFAULT_DB_ALIAS)
        text, params = compiler.as_sql()
        known = {_told(_adapted(connection, value)): at for at, value in enumerate(stand_ins)}
        places = [(known.get(_told(one)), one) for one in params]
        missing = set(known.values()) - {at for at, _ in places}
        if missing:
            raise ValueError(f"The statement does not take the values {sorted(missing)} as they are.")
        return Made(text, places, compiler)


class Prepared(Statement):
    """A SELECT: ``build`` gives its queryset."""

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], *kinds: type[Value]) -> None:
        super().__init__(build, *kinds)
        self._objects: dict[str, _Objects] = {}

    def _query(self, built: QuerySet[Any, Any]) -> Any:
        return built.query

    def rows(self, *values: Value) -> list[tuple[Any, ...]]:
        """The plain columns found for these values, which stand in the order of the kinds."""
        found: list[tuple[Any, ...]] = self._run(values, lambda cursor: cursor.fetchall())
        return found

    def first(self, *values: Value) -> Any:
        """The first object found, with what its queryset selects along, or None."""
        row = self._run(values, lambda cursor: cursor.fetchone())
        return None if row is None else self._objects_of().made_of(row)

    def _objects_of(self) -> _Objects:
        connection = connections[DEFAULT_DB_ALIAS]
        if connection.vendor not in self._objects:
            self._objects[connection.vendor] = _Objects(self._made_for(connection).compiler)
        return self._objects[connection.vendor]


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
        self._along = along(info, select, DEFAULT_DB_ALIAS)

    def made_of(self, row: tuple[Any, ...]) -> Any:
        if self._converters:
            row = next(iter(self._compiler.apply_converters([row], self._converters)))
        made = self._model.from_db(DEFAULT_DB_ALIAS, self._names, row[self._part])
        for related in self._along:
            related.populate(row, made)
        return made


class PreparedUpdate(Statement):
    """An UPDATE: ``build`` gives the queryset and the new values of its fields."""

    def _query(self, built: tuple[QuerySet[Any, Any], dict[str, Any]]) -> Any:
        query: Any = built[0].query.chain(UpdateQuery)
        query.clear_ordering(force=True)
        query.add_update_values(built[1])
        return query

    def run(self, *values: Value) -> int:
        """How many rows were found, and changed."""
        return int(self._run(values, lambda cursor: cursor.rowcount))


class PreparedDelete(Statement):
    """A DELETE of rows on which nothing hangs: ``build`` gives the queryset."""

    def _query(self, built: QuerySet[Any, Any]) -> Any:
        query = built.query.chain(DeleteQuery)
        query.clear_ordering(force=True)
        return query

    def run(self, *values: Value) -> int:
        """How many rows were found, and deleted."""
        return int(self._run(values, lambda cursor: cursor.rowcount))


def _adapted(connection: Any, value: Value) -> Any:
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return connection.ops.adapt_json_value(value, None) if isinstance(value, dict) else value


def _told(param: Any) -> Any:
    """What a parameter is known by; PostgreSQL's JSON is wrapped in an object that can be compared with none."""
    if hasattr(param, "obj"):
        return json.dumps(param.obj)
    return param if isinstance(param, int | str | datetime) else None
