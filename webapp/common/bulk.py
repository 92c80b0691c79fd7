"""Rows by plain statements, for the two databases we run on: one object where ``save`` builds its statement again each
time, and many at once, as ``bulk_create`` does, without building model objects.

An import writes hundreds of thousands of rows; building a model instance and preparing each field costs several times
what the database needs. Values are given ready for the column: JSON as text, times as aware datetimes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from django.db import connection, models
from django.db.models.sql import InsertQuery

Row = Sequence[Any]


def raw_value(name: str) -> models.Func:
    """The values of a field as the driver gives them, for reading many rows: truth may be 0 and 1, JSON is text.
    Nothing is converted value by value, which for a hundred thousand rows takes longer than reading them."""
    return models.Func(models.F(name), template="%(expressions)s", output_field=models.Field())


def reserve_ids(model: type[models.Model], count: int) -> range | list[int]:
    """``count`` fresh primary keys of this table. Call inside the transaction that uses them.

    PostgreSQL hands them out of the sequence. SQLite has one writer at a time (transactions begin IMMEDIATE), so the
    numbers after the largest ever used are ours until we commit.
    """
    if not count:
        return []
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)", [table, count]
            )
            return [row[0] for row in cursor.fetchall()]
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        used = cursor.fetchone()
        cursor.execute(f"SELECT COALESCE(MAX(id), 0) FROM {connection.ops.quote_name(table)}")  # noqa: S608
        first = max(used[0] if used else 0, cursor.fetchone()[0]) + 1
        return range(first, first + count)


def insert(row: models.Model, *, or_nothing: bool = False) -> bool:
    """Insert one new object with the values or expressions it has, as ``save`` does, by a statement whose text is made
    once; whether it was: ``or_nothing`` leaves it when one like it stands in the way. Tells no signal."""
    begin, end, fields = _insertion(connection.vendor, type(row), or_nothing)
    values = [field.get_db_prep_save(field.pre_save(row, add=True), connection) for field in fields]
    marks, given = _marked(type(row), values)
    with connection.cursor() as cursor:
        cursor.execute(f"{begin} VALUES ({marks}){end}", given)
        if not cursor.rowcount:
            return False
        row.pk = cursor.fetchone()[0] if connection.vendor == "postgresql" else cursor.lastrowid
    row._state.adding, row._state.db = False, connection.alias
    return True


@cache
def _insertion(vendor: str, model: type[models.Model], or_nothing: bool) -> tuple[str, str, list[Any]]:
    """What stands before and behind the values of the statement, and their fields. SQLite tells the new key itself."""
    quote = connection.ops.quote_name
    fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    columns = ", ".join(quote(str(field.column)) for field in fields)
    begin = f"INSERT INTO {quote(model._meta.db_table)} ({columns})"
    end = " ON CONFLICT DO NOTHING" if or_nothing else ""
    returning = f" RETURNING {quote(str(model._meta.pk.column))}" if vendor == "postgresql" else ""
    return begin, end + returning, fields


def _marked(model: type[models.Model], values: Sequence[Any]) -> tuple[str, list[Any]]:
    """A mark for each value, with what takes its place; an expression is compiled to its own text."""
    marks, given = [], []
    for value in values:
        if hasattr(value, "resolve_expression"):
            compiler: Any = InsertQuery(model).get_compiler(connection=connection)
            resolved = value.resolve_expression(compiler.query, allow_joins=False, for_save=True)
            text, params = compiler.compile(resolved)
            marks.append(text)
            given.extend(params)
        else:
            marks.append("%s")
            given.append(value)
    return ", ".join(marks), given


def insert_rows(model: type[models.Model], fields: Sequence[str], rows: Iterable[Row]) -> int:
    """Insert rows whose values stand in the order of ``fields`` (field names). Returns how many there were."""
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    columns = ", ".join(quote(str(getattr(model._meta.get_field(name), "column", name))) for name in fields)
    given = list(rows)
    if not given:
        return 0
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in given:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(fields))
            times = [
                i for i, name in enumerate(fields) if isinstance(model._meta.get_field(name), models.DateTimeField)
            ]
            ready = [_with_plain_times(row, times) for row in given] if times else given
            cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", ready)  # noqa: S608
    return len(given)


def update_rows(model: type[models.Model], field: str, rows: Iterable[tuple[Any, int]]) -> None:
    """Give one column new values: pairs of value and primary key."""
    quote = connection.ops.quote_name
    column = quote(str(getattr(model._meta.get_field(field), "column", field)))
    given = list(rows)
    if given:
        with connection.cursor() as cursor:
            cursor.executemany(f"UPDATE {quote(model._meta.db_table)} SET {column} = %s WHERE id = %s", given)  # noqa: S608


def delete_rows(model: type[models.Model], numbers: Sequence[int]) -> None:
    """Delete rows on which nothing hangs, by their primary keys, without looking for what does: the database refuses it
    if something does."""
    if numbers:
        quote = connection.ops.quote_name
        marks = ", ".join(["%s"] * len(numbers))
        table, key = quote(model._meta.db_table), quote(str(model._meta.pk.column))
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table} WHERE {key} IN ({marks})", list(numbers))  # noqa: S608


def _with_plain_times(row: Row, times: Sequence[int]) -> Row:
    """The row with its times as Django writes and compares them in SQLite: in UTC, without a zone."""
    values = list(row)
    for i in times:
        values[i] = connection.ops.adapt_datetimefield_value(values[i])
    return values


def refresh_statistics(*tables: type[models.Model]) -> None:
    """Have PostgreSQL look at tables that were just filled. It plans by what it knows of them, and looks by itself only
    a minute later: until then a question about a thousand rows may be answered by walking through all of them."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for table in tables:
                cursor.execute(f"ANALYZE {connection.ops.quote_name(table._meta.db_table)}")


class StatisticsRefresher:
    """Counts what is written into tables by many transactions, and refreshes their statistics whenever that doubled.

    Fewer than ``LEAST`` rows change no plan.
    """

    LEAST = 1000

    def __init__(self, *tables: type[models.Model]) -> None:
        self._tables, self._rows, self._next = tables, 0, self.LEAST

    def add(self, rows: int) -> None:
        self._rows += rows
        if self._rows >= self._next:
            self._next = 2 * self._rows
            refresh_statistics(*self._tables)


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def as_json(value: Any) -> str | None:
    """A JSON column's text; None stays NULL."""
    if value is None:
        return None
    return "{}" if type(value) is dict and not value else _ENCODER.encode(value)
