"""Many rows at once by plain statements, for the two databases we run on, without building model objects.

An import writes hundreds of thousands of rows; building a model instance and preparing each field costs several times
what the database needs. Values are given ready for the column: JSON as text, times as aware datetimes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection, models

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


def insert_rows(model: type[models.Model], fields: Sequence[str], rows: Iterable[Row]) -> int:
    """Insert rows with values in the order of ``fields`` (field names). Return the number of rows."""
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    columns = ", ".join(quote(str(getattr(model._meta.get_field(name), "column", name))) for name in fields)
    given = list(rows)
    if not given:
        return 0
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # The driver's own errors become those of Django: nothing else knows which database it is.
            statement = f"COPY {table} ({columns}) FROM STDIN"
            with connection.wrap_database_errors, cursor.copy(statement) as copy:
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
    """Let PostgreSQL analyze tables that were just filled. Otherwise, it does so only a minute later, and until then a
    query for a thousand rows may scan all of them.
    """
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
