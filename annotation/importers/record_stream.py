"""Yields the rows of a table from a JSON file of any layout: a list, lists under keys, records by id, columns, many
files.

The context of a row becomes additional columns: ``key`` (its id), ``list`` (the list that contains it, if there are
several), and ``file``, ``folder`` and ``folder 2`` (the names that lead to it, if there are several files). Memory use
is one row in every layout.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Any

from annotation.importers.column_rows import ColumnRow, rows_by_column
from annotation.importers.forms import BEGINNING, Form, Layout, layout_of
from annotation.importers.interface import ImportProblem, Position
from annotation.importers.reading import CHUNK, RawRow, RowStream, cut_off, rows_of
from annotation.importers.scanning import ArrayScanner, Element
from annotation.importers.sources import Limits, Member
from annotation.schema import Issue, Severity, shortened

KEY, LIST = "key", "list"
FILE, FOLDERS = "file", ("folder", "folder 2")
DATA = frozenset({".json", ".jsonl", ".ndjson"})
_BY_ID = re.compile(rb'\s*("(?:[^"\\]|\\.)*")\s*:\s*(\{.*\}|"(?:[^"\\]|\\.)*"|[^\s{}\[\]]+?)\s*,?\s*', re.DOTALL)
_HAS_DIGIT = re.compile(r"\d")


def data_files(names: Sequence[str]) -> Sequence[str]:
    """Return all JSON and JSONL files, except notes of writers, whose names begin with a dot or an underscore."""
    return [name for name in names if PurePosixPath(name).suffix.lower() in DATA and not _is_note(name)]


def _is_note(name: str) -> bool:
    return any(part.startswith((".", "_")) for part in PurePosixPath(name).parts)


def columns_of_place(name: str) -> dict[str, str]:
    """Return the columns derived from the name of a file with its folders.

    >>> columns_of_place("run1/val_17/output.json")
    {'file': 'output', 'folder': 'val_17', 'folder 2': 'run1'}
    """
    path = PurePosixPath(name)
    folders = [part for part in reversed(path.parts[:-1]) if part not in ("", ".")]
    return {FILE: path.stem, **dict(zip(FOLDERS, folders, strict=False))}


class RecordStream(RowStream):
    """A ``RowStream`` that yields the records of every layout as objects. ``only``: the list to read, if there are
    several.
    """

    def __init__(
        self,
        path: Path,
        start: Position | None = None,
        *,
        wanted: str = "",
        only: str = "",
        limits: Limits | None = None,
    ) -> None:
        super().__init__(path, (), start, pick=data_files, wanted=wanted, limits=limits, deep=True)
        self._only = only
        self.several = len(self._members) > 1

    def _line_rows(self, member: Member, file: IO[bytes], begin: Position) -> Iterator[RawRow | Issue]:
        around = self._around(member)
        for row in super()._line_rows(member, file, begin):
            yield _with(row, around) if isinstance(row, RawRow) and around else row

    def _document_rows(self, member: Member, file: IO[bytes], begin: Position) -> Iterator[RawRow | Issue]:
        layout = layout_of(file.read(BEGINNING))
        file.seek(0)
        around = self._around(member)
        if layout.form in (Form.COLUMNS, Form.SPLIT):
            yield from self._column_rows(member, layout, begin, around)
        elif layout.form is Form.RECORD:
            if begin.offset < member.size:
                yield from self._record(member, file, around)
        elif layout.form is Form.TEXTS and not self.several:
            raise ImportProblem(
                f"{member.name} is a list of texts without sample IDs. Write objects with "
                'ids: [{"id": "a1", "answer": "B"}, …].'
            )
        elif layout.form in (Form.KEYED, Form.LISTS):
            yield from self._scanned(member, file, layout, begin, around)
        else:
            for row in super()._document_rows(member, file, begin):
                yield _with(row, around) if isinstance(row, RawRow) and around else row

    def _around(self, member: Member) -> dict[str, str]:
        return columns_of_place(member.name) if self.several else {}

    def _record(self, member: Member, file: IO[bytes], around: Mapping[str, str]) -> Iterator[RawRow | Issue]:
        if member.size > self._limits.row_bytes:
            yield self._too_long(member, 1)
            return
        self.given += 1
        self._at = Position(member.name, member.size, 1)
        text = file.read().removeprefix(b"\xef\xbb\xbf").strip()
        yield _with(RawRow("", member.name, 1, text, member.size, closed=text.endswith(b"}")), around)

    def _column_rows(
        self, member: Member, layout: Layout, begin: Position, around: Mapping[str, str]
    ) -> Iterator[RawRow | Issue]:
        for row in rows_by_column(member, layout, self._limits.row_bytes):
            if not isinstance(row, ColumnRow):
                yield row
            elif row.read > begin.offset:
                self.given += 1
                self._at = Position(member.name, row.read, row.line)
                yield _with(RawRow("", member.name, row.line, row.text, row.read, row=str(row.number)), around)
        self._at = Position(member.name, member.size, 0)

    def _scanned(
        self, member: Member, file: IO[bytes], layout: Layout, begin: Position, around: Mapping[str, str]
    ) -> Iterator[RawRow | Issue]:
        keyed = layout.form is Form.KEYED
        records = _Keyed(layout, member.name, around) if keyed else _Listed(layout, member.name, around, self._only)
        scanner = ArrayScanner(self._limits.row_bytes, enter=records.enters, scalars=keyed)
        while chunk := file.read(CHUNK):
            for element in scanner.feed(chunk):
                rows = records.rows(element)
                if element.end_offset <= begin.offset or not rows:
                    continue
                self.given += 1
                self._at = Position(member.name, element.end_offset, element.line)
                yield from (self._too_long(member, element.line, row) if isinstance(row, str) else row for row in rows)
        if scanner.open:
            yield cut_off(member.name, scanner.line)
        else:
            self._at = Position(member.name, member.size, scanner.line)


class _Listed:
    """Yields rows from the lists of objects of a document; other lists have no rows."""

    def __init__(self, layout: Layout, file: str, around: Mapping[str, str], only: str) -> None:
        self._file, self._around, self._only = file, around, only
        self._name = free_name(LIST, layout.fields)
        self._tables: dict[tuple[str, ...], bool] = {}
        self._counted: Counter[str] = Counter()
        self._several = len(layout.paths) > 1

    def enters(self, path: tuple[str, ...], bracket: bytes) -> bool:
        return len(path) == 1 or (len(path) == 2 and bracket == b"[")

    def rows(self, element: Element) -> list[RawRow | Issue | str]:
        """Return the rows of an element; a text names a list that is too long."""
        if not element.listed:
            return []
        table = self._tables.setdefault(element.path, element.text is None or element.text[:1] == b"{")
        name = list_name(element.path)
        if not table or (self._only and name != self._only):
            return []
        # A list that begins long after the others also has its name.
        self._several = self._several or len([path for path, ours in self._tables.items() if ours]) > 1
        around = {**self._around, **({self._name: name} if self._several else {})}
        found: list[RawRow | Issue | str] = []
        for line, text in rows_of(element):
            self._counted[name] += 1
            number = f"{self._counted[name]} of {shortened(name, 60)}"
            row = text if text is None else RawRow("", self._file, line, text, element.end_offset, row=number)
            found.append(number if row is None else _with(row, around))
        return found


class _Keyed:
    """Yields rows from an object of records: each row has its key, and a text or a number is its value."""

    def __init__(self, layout: Layout, file: str, around: Mapping[str, str]) -> None:
        self._layout, self._file, self._around = layout, file, around
        self._name = free_name(KEY, layout.fields)

    def enters(self, path: tuple[str, ...], bracket: bytes) -> bool:
        return bracket == b"{" and path == self._layout.path[: len(path)]

    def rows(self, element: Element) -> list[RawRow | Issue | str]:
        if element.path != self._layout.path:
            return []
        if element.text is None:
            return [shortened(element.key, 60)]
        found = [self._row(element.key, element.text, element)]
        if element.broken:
            lines = enumerate(element.text.split(b"\n"))
            inner = [(n, match) for n, line in lines if n and (match := _BY_ID.fullmatch(line))]
            first = element.text.split(b"\n", 1)[0]
            found = [self._row(element.key, first, element)]
            found += [self._row(_key(match[1]), match[2], element, n) for n, match in inner]
        return [row for row in found if row is not None]

    def _row(self, key: str, text: bytes, element: Element, below: int = 0) -> RawRow | Issue | None:
        line, row = element.line + below, shortened(key, 60)
        around = {**self._around, self._name: key}
        if self._layout.scalars:
            if text[:1] not in (b"{", b"["):
                text = b'{"value": ' + text + b"}"
                return _with(RawRow("", self._file, line, text, element.end_offset, row=row), around)
            return self._other("a text or a number", text, line, row)
        if self._layout.talks and text[:1] == b"[":
            text = b'{"messages": ' + text + b"}"
        if text[:1] == b"{":
            return _with(RawRow("", self._file, line, text, element.end_offset, row=row), around)
        if not _HAS_DIGIT.search(key) and text[:1] != b"[":
            return None  # a name, a date or a score of the whole file
        return self._other("an object", text, line, row)

    def _other(self, wanted: str, text: bytes, line: int, row: str) -> Issue:
        done = f"The record was rejected because it is not {wanted}, like the others."
        found = shortened(text[:400].decode("utf-8", "replace"), 80)
        return Issue(Severity.REFUSED, "other-kind-of-record", self._file, line, "", found, done, row)


def list_name(path: Sequence[str]) -> str:
    """Return the name of the list under these keys."""
    return " / ".join(path)


def free_name(name: str, fields: Sequence[str]) -> str:
    """Return the name of a column for the position of rows, changed if the rows already have this name."""
    return name if name not in fields else f"{name} of the file"


def _with(row: RawRow, around: Mapping[str, Any]) -> RawRow:
    """Add columns in front of a row. Rows that are not objects stay unchanged and are rejected later, when they are
    read.
    """
    text = row.text.lstrip()
    if not around or text[:1] != b"{":
        return row
    rest = text[1:].lstrip()
    told = json.dumps(around, ensure_ascii=True)[:-1].encode()
    joined = told + (b"" if rest[:1] == b"}" else b", ") + rest
    return RawRow(row.key, row.file, row.line, joined, row.end_offset, row.closed, row.row)


def _key(text: bytes) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return text.strip(b'"').decode("utf-8", "replace")
