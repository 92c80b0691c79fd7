"""Rows of a TSV or CSV file with a heading, in constant memory, each with its position.

A TSV is split at tabs. In a CSV, the delimiter is the most frequent one in the heading: comma, semicolon, tab or bar.

Cells can be quoted and then contain the delimiter and line ends. A stray quote that swallows the lines after it is
detected by the number of columns. The lines are then read one by one, with quotes as plain characters.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from annotation.importers.interface import ImportProblem, Position, Progress
from annotation.importers.sources import Limits, Member, open_members
from annotation.schema import Issue, Severity, shortened

_BOM = "\ufeff"
_LIMITS = Limits()
CELL_SUFFIXES = frozenset({".csv", ".tsv", ".tab"})
_DELIMITERS = (",", ";", "\t", "|")
_UNREADABLE: list[str] = []
"""Replaces the cells of a row without cells; compared by identity."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """The cells of one row by column name, as text."""

    file: str
    line: int
    cells: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    number: int
    end: int


class TableStream:
    """Iterates rows and issues of the TSV or CSV at ``path``; ``columns`` is its heading. Raises ``ImportProblem``."""

    def __init__(self, path: Path, start: Position | None = None, limits: Limits = _LIMITS) -> None:
        self._member = _only_member(path, limits)
        self._row_bytes = limits.row_bytes
        csv.field_size_limit(max(csv.field_size_limit(), limits.row_bytes))
        with self._member.open() as file:
            first = file.readline(1 << 20)
        heading = first.decode("utf-8", "replace").removeprefix(_BOM).replace("\x00", "").rstrip("\r\n")
        self._delimiter = delimiter_of(heading) if self._member.name.lower().endswith(".csv") else "\t"
        self.columns = _cells(heading, self._delimiter)
        if len(self.columns) < 2:
            raise ImportProblem(
                f"{self._member.name} has no heading of two columns or more. Add the column names as the first "
                "line, and save the table as TSV or CSV."
            )
        begin = start or Position()
        self._at = begin if begin.offset else Position(self._member.name, len(first), 1)
        self._issues: list[Issue] = []

    def progress(self) -> Progress:
        """Return the progress: everything before it has been yielded."""
        return Progress(self._member.name, self._at.offset, self._at.line, self._at.offset, self._member.size)

    def __iter__(self) -> Iterator[TableRow | Issue]:
        with self._member.open() as file:
            file.seek(self._at.offset)
            lines = self._lines(file)
            taken: list[_Line] = []
            reader = csv.reader(self._noting(lines, taken), delimiter=self._delimiter)
            while True:
                taken.clear()
                try:
                    cells = next(reader, None)
                except csv.Error:
                    cells = _UNREADABLE
                yield from self._issues
                self._issues.clear()
                if cells is None:
                    return
                if taken:
                    self._at = Position(self._member.name, taken[-1].end, taken[-1].number)
                    yield from self._checked(cells, taken)

    def _noting(self, lines: Iterator[_Line], taken: list[_Line]) -> Iterator[str]:
        """Yield the texts of ``lines``. Each line is also appended to ``taken``, so that the position of a row is
        known.
        """
        for line in lines:
            taken.append(line)
            yield line.text

    def _lines(self, file: IO[bytes]) -> Iterator[_Line]:
        offset, number = self._at.offset, self._at.line
        while raw := file.readline(self._row_bytes):
            offset += len(raw)
            number += raw.endswith(b"\n")
            yield _Line(self._text(raw, number), number, offset)

    def _text(self, raw: bytes, number: int) -> str:
        text = raw.decode("utf-8", "replace")
        if "\x00" in text:
            self._note("nul-bytes", number, "", "NUL bytes were removed.")
        if "\ufffd" in text and "\ufffd".encode() not in raw:
            self._note("not-utf-8", number, "", "Bytes that are not UTF-8 became the replacement character.")
        return text.replace("\x00", "")

    def _note(self, rule: str, line: int, found: str, done: str) -> None:
        self._issues.append(Issue(Severity.REPAIRED, rule, self._member.name, line, "", shortened(found), done))

    def _checked(self, cells: list[str], taken: list[_Line]) -> Iterator[TableRow | Issue]:
        if not any(line.text.strip() for line in taken):
            return
        if len(cells) == len(self.columns):
            yield self._row(cells, taken[0].number)
        elif len(taken) == 1 and cells is not _UNREADABLE:
            yield self._wrong(taken[0], len(cells))
        else:
            yield from self._one_by_one(taken)

    def _one_by_one(self, taken: list[_Line]) -> Iterator[TableRow | Issue]:
        """Yield the lines that a stray quote joined, each on its own."""
        for line in taken:
            cells = _cells(line.text.rstrip("\r\n"), self._delimiter)
            if len(cells) != len(self.columns):
                cells = line.text.rstrip("\r\n").split(self._delimiter)
            if len(cells) != len(self.columns):
                yield self._wrong(line, len(cells))
                continue
            done = "A quote was not closed, or a cell contains a line end; the cells were read as plain text."
            self._note("stray-quote", line.number, line.text[:80], done)
            yield from self._issues
            self._issues.clear()
            yield self._row(cells, line.number)

    def _row(self, cells: list[str], line: int) -> TableRow:
        return TableRow(self._member.name, line, dict(zip(self.columns, cells, strict=True)))

    def _wrong(self, line: _Line, count: int) -> Issue:
        done = (
            f"The row was rejected: it has {count} columns, the heading {len(self.columns)}. The file may be cut off."
        )
        found = shortened(line.text, 80)
        return Issue(Severity.REFUSED, "wrong-columns", self._member.name, line.number, "", found, done)


def delimiter_of(heading: str) -> str:
    """Return the delimiter of a CSV from its first line; a comma if it contains none."""
    return max(_DELIMITERS, key=heading.count) if any(sign in heading for sign in _DELIMITERS) else ","


def _cells(text: str, delimiter: str) -> list[str]:
    """Return the cells of one line; split at the delimiter if it is not a valid row."""
    try:
        return next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error:
        return text.split(delimiter)


def _only_member(path: Path, limits: Limits) -> Member:
    members = open_members(
        path,
        lambda names: [n for n in names if PurePosixPath(n).suffix.lower() in CELL_SUFFIXES],
        "one TSV or CSV file",
        limits,
    )
    if len(members) > 1:
        names = ", ".join(member.name for member in members[:5])
        raise ImportProblem(f"{path.name} contains several tables ({names}). Choose one of them.")
    return members[0]
