"""Describes the type of a file and the arrangement of its records, for detection, tables and messages.

The beginning of a file determines its form (``forms``); its records are then counted in constant memory.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotation.importers.detection import glimpse, the_member
from annotation.importers.forms import BEGINNING, Form, Layout, beginning_of, layout_of
from annotation.importers.interface import ImportProblem
from annotation.importers.parquet_rows import is_parquet
from annotation.importers.reading import is_lines
from annotation.importers.record_stream import data_files, list_name
from annotation.importers.scanning import ArrayScanner, Element, Enter
from annotation.importers.sheets import is_workbook
from annotation.importers.sources import Member, member_names
from annotation.importers.storable import clean
from annotation.importers.table_heading import heading
from annotation.schema import shortened

MOST_READ = 4 << 20
"""The maximum number of bytes read to count records. The count of a longer file is a minimum. A person who waits for a
preview also waits for this.
"""
CHUNK = 1 << 20
FEW = 5
"""The maximum number of names that are listed."""
IDS = 1000
"""The number of ids of records that are kept for comparison with those of samples."""

AS_TABLE = "Read it as a table (format: table) and map its columns."
AS_ROWS = "Save the rows as a JSON list of objects, JSON lines, CSV, TSV, XLSX or Parquet."
WITH_IDS = 'The sample of each record is unknown. Write objects with ids: [{"id": "a1", "answer": "B"}, …].'
CHOOSE = "Read it as a table (format: table); name one list to read that one, or read all with their column “list”."


@dataclass(frozen=True)
class Shape:
    """The description of a file.

    ``words``: its content ("a JSON object of 1,000 records by id"). ``advice``: how to make it readable. ``form``: the
    arrangement of its records; None for anything but one JSON document. ``columns``: those of the first records.
    ``lists``: each list and its number of records. ``ids``: the first ids, if records are by id.
    """

    words: str
    advice: str
    form: Form | None = None
    columns: tuple[str, ...] = ()
    count: int | None = None
    lists: tuple[tuple[str, int], ...] = ()
    ids: tuple[str, ...] = ()
    cut_at: int = 0
    """The line where the file is cut off; 0 if it is complete."""

    @property
    def sentences(self) -> str:
        cut = f" It is cut off at line {self.cut_at:,}: send the whole file again." if self.cut_at else ""
        return f"It is {self.words}.{cut} {self.advice}"


def shape_of(path: Path) -> Shape:
    """Return the shape of a file. For a folder or zip with several files of records, it has their number; else it is
    the shape of the member used for detection.
    """
    try:
        head, name = glimpse(path, ())
        if is_workbook(path) or is_parquet(path):
            columns = head.decode("utf-8", "replace").removeprefix("PAR1\n").split("\t")
            return Shape(f"a table with {_fields(columns)}", AS_TABLE, columns=tuple(columns))
        if len(files := data_files(member_names(path))) > 1:
            return _of_files(files, heading(head, name))
        return _of_member(the_member(path, ()), head, name)
    except ImportProblem as problem:
        return Shape("a file that can't be opened", f"{problem} {AS_ROWS}" if "pickle" in str(problem) else AS_ROWS)


def _of_files(names: Sequence[str], columns: Sequence[str]) -> Shape:
    few = _few((f"“{shortened(one, 60)}”" for one in names), len(names))
    words = f"{len(names):,} files of records ({few}), the first with {_fields(columns)}"
    return Shape(words, AS_TABLE, columns=tuple(columns), count=len(names))


def _of_member(member: Member, head: bytes, name: str) -> Shape:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if is_lines(head, name):
        columns = heading(head, name)
        return Shape(f"JSON lines with {_fields(columns)}", AS_TABLE, columns=tuple(columns))
    if text[:1] in (b"{", b"["):
        return _of_document(member)
    if columns := heading(head, name):
        return Shape(f"a table with {_fields(columns)}", AS_TABLE, columns=tuple(columns))
    try:
        head[:4096].decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head[:4096]) - 4:
            return Shape("binary data", AS_ROWS)
    return Shape("binary data" if b"\0" in head else "text that is not JSON", AS_ROWS)


@dataclass
class _Counted:
    """The counts of one pass over a document."""

    lists: Counter[str] = field(default_factory=Counter)
    ids: list[str] = field(default_factory=list)
    records: int = 0
    ended: bool = True
    cut_at: int = 0


def _of_document(member: Member) -> Shape:
    with member.open() as file:
        beginning = file.read(BEGINNING)
    layout = layout_of(beginning)
    counted = _count(member, layout)
    words, advice = _in_words(layout, counted, beginning)
    lists = tuple((clean(name), number) for name, number in counted.lists.items())
    count = counted.records or sum(counted.lists.values()) or None
    names = tuple(map(clean, layout.fields))
    ids = tuple(map(clean, counted.ids))
    return Shape(clean(words), advice, layout.form, names, count, lists, ids, counted.cut_at)


def _in_words(layout: Layout, counted: _Counted, beginning: bytes) -> tuple[str, str]:
    """Describe a document, and how to make it readable."""
    listed = beginning.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
    number, fields = f"{'' if counted.ended else 'at least '}{counted.records:,}", _fields(layout.fields)
    match layout.form:
        case Form.LIST:
            return f"a list of {number} objects with {fields}", AS_TABLE
        case Form.TEXTS:
            return f"a list of {number} texts (first: {_first(beginning)})", WITH_IDS
        case Form.OTHER if listed:
            return f"a list of {number} lists (first: {_first(beginning)})", AS_ROWS
        case Form.LISTS:
            return _lists_in_words(layout, counted)
        case Form.KEYED:
            return _keyed_in_words(layout, counted, number)
        case Form.COLUMNS | Form.SPLIT:
            return f"a JSON object written column by column, with {fields}", AS_TABLE
        case Form.RECORD:
            return f"one JSON object with {fields}", AS_ROWS
        case Form.EMPTY:
            return "an empty list" if listed else "an empty object", f"It contains no records. {AS_ROWS}"
    return "JSON that is damaged from its beginning", AS_ROWS


def _lists_in_words(layout: Layout, counted: _Counted) -> tuple[str, str]:
    least = "" if counted.ended else "at least "
    named = (f"“{shortened(key, 40)}” ({least}{n:,})" for key, n in counted.lists.items())
    words = f"a JSON object with lists of records: {_few(named, len(counted.lists))} with {_fields(layout.fields)}"
    return words, CHOOSE if len(counted.lists) > 1 else AS_TABLE


def _keyed_in_words(layout: Layout, counted: _Counted, number: str) -> tuple[str, str]:
    ids = _few((f"“{shortened(key, 40)}”" for key in counted.ids), counted.records, 2)
    under = f" under “{shortened(list_name(layout.path), 40)}”" if layout.path else ""
    have = "values are texts or numbers" if layout.scalars else f"values have {_few(layout.fields, len(layout.fields))}"
    return f"a JSON object of {number} records by id{under} ({ids}); {have}", AS_TABLE


def _count(member: Member, layout: Layout) -> _Counted:
    counted, read = _Counted(), 0
    scanner = ArrayScanner(0, enter=_enters(layout), scalars=layout.form in (Form.KEYED, Form.TEXTS))
    with member.open() as file:
        while read < MOST_READ and (chunk := file.read(CHUNK)):
            read += len(chunk)
            for element in scanner.feed(chunk):
                _take(element, layout, counted)
        counted.ended = not file.read(1)
    counted.cut_at = scanner.line if scanner.open and counted.ended else 0
    return counted


def _enters(layout: Layout) -> Enter:
    if layout.form is Form.KEYED:
        return lambda path, bracket: path == layout.path[: len(path)] and bracket == b"{"
    if layout.form is Form.LISTS:
        return lambda path, bracket: len(path) == 1 or (len(path) == 2 and bracket == b"[")
    return lambda path, bracket: False


def _take(element: Element, layout: Layout, counted: _Counted) -> None:
    if layout.form is Form.LISTS and element.listed and element.path in layout.paths:
        counted.lists[list_name(element.path)] += 1
    elif layout.form is Form.KEYED and element.path == layout.path:
        counted.records += 1
        if len(counted.ids) < IDS:
            counted.ids.append(element.key)
    elif layout.form in (Form.LIST, Form.TEXTS, Form.OTHER) and element.listed:
        counted.records += 1


def _first(beginning: bytes) -> str:
    value = beginning_of(beginning.decode("utf-8", "replace"))
    return shortened(json.dumps(value[0], ensure_ascii=False), 40) if isinstance(value, list) and value else ""


def _fields(names: Iterable[str]) -> str:
    found = [shortened(name, 40) for name in names]
    return f"the fields {_few(found, len(found))}" if found else "no fields"


def _few(names: Iterable[str], count: int, most: int = FEW) -> str:
    shown = [name for name, _ in zip(names, range(most), strict=False)]
    return ", ".join(shown) + (", …" if count > len(shown) else "")
