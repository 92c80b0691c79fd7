"""Values in the rows of a portable file, which anyone can have changed: each is checked before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any


class InvalidFileError(ValueError):
    """The file is no portable benchmark, or it is damaged; the text says where."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table with its place. Its methods raise ``InvalidFileError`` that names table, line and field.

    ``number``: the first line is 1."""

    table: str
    number: int
    row: Mapping[str, Any]

    def error(self, field: str, problem: str = "has no valid value") -> InvalidFileError:
        return invalid(self.table, self.number, field, problem)

    def text(self, field: str, *, default: str | None = None) -> str:
        """A text that a database can store. ``default``: of a missing field, which is invalid without one."""
        value = self.row.get(field)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or not is_storable(value):
            raise self.error(field)
        return value

    def moment(self, field: str) -> datetime:
        """A time with a zone, in UTC."""
        try:
            return in_utc(datetime.fromisoformat(self.row[field]))
        except (KeyError, TypeError, ValueError) as error:
            raise self.error(field) from error

    def reference(self, field: str, rows: int) -> int:
        """The number of a row of a table with ``rows`` rows."""
        return self._reference(self.row.get(field), field, rows)

    def reference_or_none(self, field: str, rows: int) -> int | None:
        value = self.row.get(field)
        return None if value is None else self._reference(value, field, rows)

    def _reference(self, value: Any, field: str, rows: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= rows:
            raise self.error(field, f"names a row that the file does not have: {str(value)[:20]}")
        return value


def invalid(table: str, number: int, field: str, problem: str = "has no valid value") -> InvalidFileError:
    return InvalidFileError(f"tables/{table}.jsonl, line {number}: {field} {problem}.")


def in_utc(found: datetime) -> datetime:
    """Raises ``ValueError`` for a time without a zone, or one that is in no year from 1 to 9999 in UTC."""
    if found.tzinfo is None:
        raise ValueError
    try:
        return found.astimezone(UTC)
    except OverflowError as error:
        raise ValueError from error


def is_storable(text: str) -> bool:
    """Whether databases can store a text: it has no zero byte and no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text
