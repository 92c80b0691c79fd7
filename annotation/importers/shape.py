"""What the top level of a file is, in words, for a file that no format claims; and what would make it readable."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from annotation.importers.any_table import heading
from annotation.importers.detection import glimpse, the_member
from annotation.importers.interface import ImportProblem
from annotation.importers.parquet_rows import is_parquet
from annotation.importers.reading import is_lines
from annotation.importers.scanning import ArrayScanner, Element
from annotation.importers.sheets import is_workbook
from annotation.importers.sources import Member
from annotation.schema import shortened

MOST_READ = 256 << 20
"""Bytes read at most to count records; beyond, the count is said to be a least one."""
CHUNK = 1 << 20
ROW_BYTES = 1 << 20
FEW = 5
"""Names that are listed."""

AS_TABLE = "Read it as a table (format: table) and say which column holds what."
AS_LIST = 'Write the records as a list, each with its id as a field: [{{"id": {id}, …}}, …]. ' + AS_TABLE
ONE_LIST = "Keep one list of objects in the file: [{…}, {…}], or name it samples or trajectories."
AS_ROWS = "Save the rows as a JSON list of objects, JSON lines, CSV, TSV, XLSX or Parquet."


@dataclass(frozen=True)
class Shape:
    """``words``: what the file holds ("an object of 1,000 records by id"). ``advice``: what would make it readable."""

    words: str
    advice: str

    @property
    def sentences(self) -> str:
        return f"It is {self.words}. {self.advice}"


def shape_of(path: Path) -> Shape:
    """The shape of a file, of a folder or zip that of the member a format would be told by."""
    try:
        head, name = glimpse(path, ())
        if is_workbook(path) or is_parquet(path):
            columns = head.decode("utf-8", "replace").removeprefix("PAR1\n").split("\t")
            return Shape(f"a table with {_fields(columns)}", AS_TABLE)
        return _of_member(the_member(path, ()), head, name)
    except ImportProblem:
        return Shape("a file that can't be opened", AS_ROWS)


def _of_member(member: Member, head: bytes, name: str) -> Shape:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if is_lines(head, name):
        return Shape(f"JSON lines with {_fields(heading(head, name))}", AS_TABLE)
    if text[:1] in (b"{", b"["):
        return _of_document(member, listed=text[:1] == b"[")
    if columns := heading(head, name):
        return Shape(f"a table with {_fields(columns)}", AS_TABLE)
    try:
        head[:4096].decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head[:4096]) - 4:
            return Shape("binary data", AS_ROWS)
    return Shape("binary data" if b"\0" in head else "text that is not JSON", AS_ROWS)


def _of_document(member: Member, *, listed: bool) -> Shape:
    """One JSON document, scanned as it is read: its records may be many."""
    counts: Counter[tuple[str, bool]] = Counter()
    first: Element | None = None
    scanner, read = ArrayScanner(ROW_BYTES), 0
    with member.open() as file:
        while read < MOST_READ and (chunk := file.read(CHUNK)):
            read += len(chunk)
            for element in scanner.feed(chunk):
                first = first or element
                counts[element.key, element.listed] += 1
    least = "at least " if scanner.open else ""
    lists = {key: n for (key, in_list), n in counts.items() if in_list}
    records = {key: n for (key, in_list), n in counts.items() if not in_list}
    if first is None:
        return Shape("an empty list" if listed else "one object without records", AS_ROWS)
    if listed:
        fields = _keys(first)
        rows = f"objects with {_fields(fields)}" if fields else "values that are no objects"
        return Shape(f"a list of {least}{sum(lists.values()):,} {rows}", AS_TABLE if fields else AS_ROWS)
    if lists:
        named = (f"“{shortened(key, 40)}” ({least}{n:,})" for key, n in lists.items())
        return Shape(f"an object with lists: {_few(named, len(lists))}", ONE_LIST)
    ids = (f"“{shortened(key, 40)}”" for key in records)
    words = f"an object of {least}{sum(records.values()):,} records by id ({_few(ids, len(records))})"
    return Shape(f"{words} with {_fields(_keys(first))}", AS_LIST.format(id=json.dumps(shortened(first.key, 40))))


def _keys(element: Element) -> list[str]:
    try:
        row = json.loads(element.text or b"")
    except (ValueError, RecursionError):
        return []
    return list(row) if isinstance(row, dict) else []


def _fields(names: Iterable[str]) -> str:
    found = [shortened(name, 40) for name in names]
    return f"the fields {_few(found, len(found))}" if found else "no fields"


def _few(names: Iterable[str], count: int) -> str:
    shown = [name for name, _ in zip(names, range(FEW), strict=False)]
    return ", ".join(shown) + (", …" if count > len(shown) else "")
