"""Rows of a JSON document that is written column by column, as pandas does: all columns are read in parallel.

Each column has its own reader, and all readers are at the same row. Memory use is therefore one chunk per column,
however long the columns are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from annotation.importers.forms import Form, Layout
from annotation.importers.interface import ImportProblem
from annotation.importers.scanning import ArrayScanner, Element
from annotation.importers.sources import Member
from annotation.schema import Issue, Severity, shortened

CHUNK = 1 << 16
MOST_COLUMNS = 500
KEY = "key"
"""The column with the names of rows, if these are more than consecutive numbers."""


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """A row as JSON, its number, the line where it begins, and the number of bytes read from all columns."""

    text: bytes
    number: int
    line: int
    read: int


def rows_by_column(member: Member, layout: Layout, limit: int) -> Iterator[ColumnRow | Issue]:
    """Yield the rows of a document of columns. Raises ``ImportProblem`` if the columns have different rows."""
    places = _places(member)
    if layout.form is Form.SPLIT:
        yield from _split_rows(member, layout, places, limit)
        return
    if len(places) > MOST_COLUMNS:
        raise ImportProblem(f"{member.name} has {len(places):,} columns; {MOST_COLUMNS} are read. Take some out.")
    names = list(places)
    with ExitStack() as stack:
        cursors = [_Cursor(stack, member, places[name], limit) for name in names]
        if any(cursor.listed for cursor in cursors):
            _same_length(member, names, places, limit)
        for number, row in enumerate(_side_by_side(cursors), 1):
            first = row[0]
            if first is None or any(one is None or one.key != first.key for one in row):
                yield _apart(member, names, row, number)
                return
            found = [(name, one) for name, one in zip(names, row, strict=True) if one is not None]
            own = [] if first.listed or first.key == str(number - 1) else [(KEY, json.dumps(first.key).encode())]
            if any(one.text is None for _, one in found):
                yield _too_long(member, number, limit)
                continue
            parts = [*own, *((name, one.text or b"") for name, one in found)]
            text = b", ".join(json.dumps(name).encode() + b": " + value for name, value in parts)
            yield ColumnRow(b"{" + text + b"}", number, first.line, sum(cursor.read for cursor in cursors))


def _places(member: Member) -> dict[str, Element]:
    """Return the position of each top-level value. A truncated document may lack columns, so none of it is read."""
    scanner = ArrayScanner(0, enter=lambda path, bracket: False)
    found: dict[str, Element] = {}
    with member.open() as file:
        while chunk := file.read(1 << 20):
            found |= {element.key: element for element in scanner.feed(chunk)}
    if scanner.open:
        raise ImportProblem(
            f"{member.name} is cut off at line {scanner.line:,}. It is written column by column, so that no row is "
            "whole. Send the whole file again."
        )
    return found


class _Cursor:
    """Yields the values of one column in order."""

    def __init__(self, stack: ExitStack, member: Member, place: Element, limit: int) -> None:
        self._file = stack.enter_context(member.open())
        self._file.seek(place.start_offset)
        self._left = place.end_offset - place.start_offset
        self._scanner = ArrayScanner(limit, enter=lambda path, bracket: False, scalars=True)
        self._line = place.line - 1
        self.read = 0
        self.listed = self._file.read(1) == b"["
        self._file.seek(place.start_offset)

    def values(self) -> Iterator[Element]:
        while self._left > 0 and (chunk := self._file.read(min(CHUNK, self._left))):
            self._left -= len(chunk)
            for element in self._scanner.feed(chunk):
                self.read = element.end_offset
                yield Element(element.key, element.text, element.line + self._line, 0, listed=element.listed)


def _side_by_side(cursors: Sequence[_Cursor]) -> Iterator[list[Element | None]]:
    streams = [cursor.values() for cursor in cursors]
    while any(row := [next(stream, None) for stream in streams]):
        yield row


def _same_length(member: Member, names: Sequence[str], places: dict[str, Element], limit: int) -> None:
    """Check that parallel lists have equal lengths. Otherwise, no row is certain."""
    with ExitStack() as stack:
        lengths = {name: sum(1 for _ in _Cursor(stack, member, places[name], 0).values()) for name in names}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{shortened(name, 40)} {length:,}" for name, length in list(lengths.items())[:5])
        raise ImportProblem(
            f"{member.name} contains lists of different lengths ({said}), so their values can't be joined "
            "to rows. Write a list of objects, one per row."
        )


def _split_rows(member: Member, layout: Layout, places: dict[str, Element], limit: int) -> Iterator[ColumnRow | Issue]:
    """``columns``, ``index`` and ``data``: each item of ``data`` is a row, without the names of its columns."""
    with ExitStack() as stack:
        chosen = [_Cursor(stack, member, places[name], limit) for name in ("data", "index") if name in places]
        for number, row in enumerate(_side_by_side(chosen), 1):
            data, index = row[0], row[1] if len(row) > 1 else None
            if data is None:
                return
            if data.text is None:
                yield _too_long(member, number, limit)
                continue
            values = _list_in(data.text)
            if values is None or len(values) != len(layout.fields):
                done = f"The row was rejected because it is not a list of {len(layout.fields)} values, one per column."
                found = shortened(data.text[:200].decode("utf-8", "replace"), 80)
                place = (member.name, data.line, "", found, done, str(number))
                yield Issue(Severity.REFUSED, "wrong-columns", *place)
                continue
            named = (index.text or b"").decode("utf-8", "replace") if index else str(number - 1)
            own = {} if named == str(number - 1) else {KEY: _plain(named)}
            text = json.dumps({**own, **dict(zip(layout.fields, values, strict=True))}).encode()
            yield ColumnRow(text, number, data.line, chosen[0].read)


def _list_in(text: bytes) -> list[Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def _plain(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _apart(member: Member, names: Sequence[str], row: Sequence[Element | None], number: int) -> Issue:
    told = {name: one.key if one else None for name, one in zip(names, row, strict=True)}
    done = (
        "The columns name different rows here, so their values can't be joined. This row and all rows after it were "
        "rejected."
    )
    found = shortened(told, 80)
    return Issue(Severity.REFUSED, "columns-apart", member.name, None, "", found, done, str(number))


def _too_long(member: Member, number: int, limit: int) -> Issue:
    done = f"The row is longer than {limit:,} bytes and was not read. Remove images and other large values from it."
    return Issue(Severity.REFUSED, "row-too-long", member.name, None, "", "", done, str(number))
