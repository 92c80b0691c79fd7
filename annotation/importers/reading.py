"""A path in, raw rows out: JSON, JSONL, a folder with one JSONL per key, or a zip of such, in constant memory.

Every row comes with its place, so that it can be reported and so that reading can start again behind it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO

from annotation.importers.interface import ImportProblem, Position, Progress
from annotation.importers.scanning import ArrayScanner, Element
from annotation.importers.sources import Limits, Member, Pick, by_keys, open_members
from annotation.schema import Issue, Severity, frozen_record

CHUNK = 1 << 20
_BOM = b"\xef\xbb\xbf"


def begins_json(head: bytes) -> bool:
    """Whether a file that begins with ``head`` may hold JSON objects: the name of a file alone is no format."""
    return head.removeprefix(_BOM).lstrip()[:1] in (b"{", b"[")


@frozen_record(frozen=True, slots=True)
class RawRow:
    """One row as written. ``key`` names its list ("" when the file does not say). ``closed`` is False for a last line
    without a line end, which may have been cut off. ``row`` is its number in the list of a JSON
    document ("17", "17 of samples")."""

    key: str
    file: str
    line: int
    text: bytes
    end_offset: int
    closed: bool = True
    row: str = ""


class RowStream:
    """Iterates the rows and issues of ``path``; ``progress()`` returns the position reached. ``keys``: the lists to
    read, rows of others are skipped; rows of unnamed lists have the key "". ``pick`` and ``wanted`` choose the members
    of a folder or zip, by default one per key; ``deep``: in folders of it too. Raises ``ImportProblem``.
    """

    def __init__(
        self,
        path: Path,
        keys: Sequence[str],
        start: Position | None = None,
        *,
        pick: Pick | None = None,
        wanted: str = "",
        limits: Limits | None = None,
        deep: bool = False,
    ) -> None:
        self._limits = limits or Limits()
        self._keys = frozenset(keys)
        wanted = wanted or "a JSON or JSONL file, or " + ", ".join(f"{key}.jsonl" for key in keys)
        self._members = open_members(path, pick or by_keys(keys), wanted, self._limits, deep=deep)
        self._total = sum(member.size for member in self._members)
        self._before = 0
        self._at = start or Position()
        self._start = self._at
        self.resumed = bool(self._start.member)
        """Whether reading continues after an earlier position, so that finding no row is not an error."""
        self.given = 0

    def progress(self) -> Progress:
        """Everything up to here has been given."""
        read = min(self._before + self._at.offset, self._total)
        return Progress(self._at.member, self._at.offset, self._at.line, read, self._total)

    def __iter__(self) -> Iterator[RawRow | Issue]:
        names = [member.name for member in self._members]
        if self._start.member and self._start.member not in names:
            raise ImportProblem(f"{self._start.member}, where reading stopped, is not in this file. Start again.")
        first = names.index(self._start.member) if self._start.member else 0
        for index, member in enumerate(self._members[first:], first):
            begin = self._start if member.name == self._start.member else Position(member.name)
            self._before = sum(earlier.size for earlier in self._members[:index])
            self._at = begin
            with member.open() as file:
                yield from self._member_rows(member, file, begin)

    def _member_rows(self, member: Member, file: IO[bytes], begin: Position) -> Iterator[RawRow | Issue]:
        head = file.read(1 << 16)
        file.seek(0)
        rows = self._line_rows if is_lines(head, member.name) else self._document_rows
        yield from rows(member, file, begin)

    def _line_rows(self, member: Member, file: IO[bytes], begin: Position) -> Iterator[RawRow | Issue]:
        """Yield the rows of JSONL, one per line; blank lines are skipped."""
        stem = PurePosixPath(member.name).stem
        key = stem if stem in self._keys else ""
        limit = self._limits.row_bytes
        offset, line = begin.offset, begin.line
        file.seek(offset)
        while text := file.readline(limit + 1):
            offset += len(text)
            line += 1
            closed = text.endswith(b"\n")
            if closed:
                self._at = Position(member.name, offset, line)
            if len(text) > limit and not closed:
                offset += _skip_line(file)
                yield self._too_long(member, line)
            elif text.strip():
                self.given += 1
                text = text.removeprefix(_BOM) if line == 1 else text
                yield RawRow(key, member.name, line, text.rstrip(b"\r\n"), offset, closed)

    def _document_rows(self, member: Member, file: IO[bytes], begin: Position) -> Iterator[RawRow | Issue]:
        """One JSON document. It is scanned from its start, because only that shows where its lists begin."""
        scanner = ArrayScanner(self._limits.row_bytes)
        counted: Counter[str] = Counter()
        alone = not self._keys and not begin.offset and member.size <= self._limits.row_bytes
        while chunk := file.read(CHUNK):
            for element in scanner.feed(chunk):
                alone = False
                if element.key and element.key not in self._keys:
                    continue
                parts = rows_of(element)
                first = counted[element.key] + 1 if element.listed else None
                counted[element.key] += len(parts)
                if element.end_offset > begin.offset:
                    yield from self._element_rows(member, element, parts, first)
        if scanner.open:
            yield cut_off(member.name, scanner.line)
        elif not scanner.seen:
            raise ImportProblem(f"{member.name} is not JSON: it contains no object and no list. Check the format.")
        else:
            self._at = Position(member.name, member.size, scanner.line)
            if alone:
                yield from self._only_row(member, file)

    def _only_row(self, member: Member, file: IO[bytes]) -> Iterator[RawRow]:
        """A document that is one object without any list or object in it is a row by itself."""
        file.seek(0)
        text = file.read().removeprefix(_BOM).strip()
        if text.startswith(b"{") and b":" in text:
            self.given += 1
            yield RawRow("", member.name, 1, text, member.size)

    def _element_rows(
        self, member: Member, element: Element, parts: Sequence[tuple[int, bytes | None]], first: int | None
    ) -> Iterator[RawRow | Issue]:
        self.given += 1
        for place, (line, text) in enumerate(parts):
            row = "" if first is None else f"{first + place}" + (f" of {element.key}" if element.key else "")
            if place == len(parts) - 1:
                self._at = Position(member.name, element.end_offset, element.line)
            if text is None:
                yield self._too_long(member, line, row)
            else:
                yield RawRow(element.key, member.name, line, text, element.end_offset, row=row)

    def _too_long(self, member: Member, line: int, row: str = "") -> Issue:
        limit = f"{self._limits.row_bytes:,} bytes"
        done = f"The row is longer than {limit} and was not read. Remove images and other large values from it."
        return Issue(Severity.REFUSED, "row-too-long", member.name, line, "", "", done, row)


def is_lines(head: bytes, name: str) -> bool:
    """Whether a file that begins with ``head`` is JSONL (one row per line) and not one JSON document."""
    first, newline, rest = head.removeprefix(_BOM).lstrip().partition(b"\n")
    if name.lower().endswith((".jsonl", ".ndjson")):
        return first.strip() not in {b"{", b"["}
    if not newline or not rest.lstrip().startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def rows_of(element: Element) -> list[tuple[int, bytes | None]]:
    """Return the rows of an element with their lines: one row; if its brackets do not match, its first line and every
    line that is itself an object.
    """
    if element.text is None or not element.broken:
        return [(element.line, element.text and element.text.strip().removesuffix(b","))]
    lines = enumerate(part.strip().removesuffix(b",") for part in element.text.split(b"\n"))
    return [(element.line + n, text) for n, text in lines if n == 0 or (text[:1], text[-1:]) == (b"{", b"}")]


def _skip_line(file: IO[bytes]) -> int:
    """Reads on to the end of the line without keeping it; the number of bytes passed."""
    passed = 0
    while piece := file.readline(CHUNK):
        passed += len(piece)
        if piece.endswith(b"\n"):
            break
    return passed


def cut_off(file: str, line: int) -> Issue:
    done = "The file ends in the middle: it was cut off. What came before was kept; send the whole file again."
    return Issue(Severity.REFUSED, "cut-off", file, line, "", "", done)
