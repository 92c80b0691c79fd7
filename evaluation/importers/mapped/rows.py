"""The rows of a mapped file, one by one: those at a path, in a JSON document or in each line of JSONL.

Each has its own key and the values of fields outside of rows, as the JSON text ``RawRow.key``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Any

from annotation.importers.interface import ImportProblem, Position
from annotation.importers.reading import CHUNK, RawRow, RowStream
from annotation.importers.sources import Member
from annotation.schema import Issue, Severity
from evaluation.importers.mapped.mapping import OUTER, KeyMapping
from evaluation.importers.mapped.paths import EVERY, KEY, KeyPath, Place
from evaluation.importers.mapped.scanning import Around, Found, RowScanner

WANTED = "a JSON or JSONL file, or a folder or zip of them"
DATA = (".json", ".jsonl", ".ndjson")


def data_files(names: Sequence[str]) -> Sequence[str]:
    """The members of a folder or zip that may hold rows."""
    found = [name for name in names if name.lower().endswith(DATA)]
    return found or [name for name in names if "." not in PurePosixPath(name).name]


def said_outside(key: str) -> tuple[str, dict[str, Any]]:
    """The key of a row, and the values of fields outside it, from ``RawRow.key``."""
    if not key:
        return "", {}
    own, outside = json.loads(key)
    return own, outside


class MappedRows(RowStream):
    """A ``RowStream`` that reads the rows at the mapping's path. ``glimpse``: only the beginning is requested, so
    nothing is searched after it.
    """

    def __init__(
        self, path: Path, mapping: KeyMapping, start: Position | None = None, *, glimpse: bool = False
    ) -> None:
        super().__init__(path, (), start, pick=data_files, wanted=WANTED)
        self._mapping, self._glimpse = mapping, glimpse
        self._outer = {name: mapping.paths[name] for name in OUTER if name in mapping.paths}

    def _line_rows(self, member: Member, file: IO[bytes], begin: Position) -> Iterator[RawRow | Issue]:
        """One row per line, or the rows within each line."""
        rows = self._mapping.rows
        within = KeyPath(rows.steps[1:]) if rows.steps[:1] == (EVERY,) else rows
        before = self._at
        for row in super()._line_rows(member, file, begin):
            after = self._at
            if isinstance(row, Issue) or not within.steps:
                yield row
            else:
                found = self._in_line(row, within)
                for place, inner in enumerate(found, 1):
                    # Reading continues after this line only when all of it is yielded.
                    self._at = after if place == len(found) else before
                    yield inner
            before = self._at = after

    def _in_line(self, line: RawRow, rows: KeyPath) -> list[RawRow]:
        scanner = self._scanner(rows)
        found = list(scanner.feed(line.text + b"\n"))
        if not found and (scanner.open or not scanner.seen):
            return [line]  # damaged: its decoding says how
        self.given += len(found) - 1
        outside = self._said_in(scanner.root)
        return [
            RawRow(
                self._key(rows, one.around, outside), line.file, line.line, one.text or b"", line.end_offset,
                line.closed, f"{number}" if len(found) > 1 else "",
            )
            for number, one in enumerate(found, 1)
        ]  # fmt: skip

    def _document_rows(self, member: Member, file: IO[bytes], begin: Position) -> Iterator[RawRow | Issue]:
        """The rows of one JSON document, scanned from its start, because their positions are only known from there."""
        scanner, number = self._scanner(self._mapping.rows), 0
        outside: dict[str, Any] | None = None
        while chunk := file.read(CHUNK):
            for found in scanner.feed(chunk):
                number += 1
                if outside is None:
                    outside = self._outside(member, found)
                if found.end_offset > begin.offset:
                    yield self._document_row(member, found, number, outside)
        if scanner.open:
            done = "The file ends in the middle: it was cut off. What came before was kept; send the whole file again."
            yield Issue(Severity.REFUSED, "cut-off", member.name, scanner.line, "", "", done)
        elif not scanner.seen:
            raise ImportProblem(f"{member.name} is not JSON: it contains no object and no list. Check the format.")
        else:
            self._at = Position(member.name, member.size, scanner.line)

    def _document_row(self, member: Member, found: Found, number: int, outside: dict[str, Any]) -> RawRow | Issue:
        self.given += 1
        self._at = Position(member.name, found.end_offset, found.line)
        alone = not self._mapping.rows.steps
        place = "" if alone else str(number)
        if found.text is None:
            return self._too_long(member, found.line, place)
        key = self._key(self._mapping.rows, found.around, outside, PurePosixPath(member.name).stem if alone else "")
        return RawRow(key, member.name, found.line, found.text, found.end_offset, row=place)

    def _scanner(self, rows: KeyPath) -> RowScanner:
        return RowScanner(rows, self._limits.row_bytes, words=self._mapping.takes_whole_rows)

    def _key(self, rows: KeyPath, around: Around, outside: dict[str, Any] | None = None, own: str = "") -> str:
        own = around.keys[-1] if around.keys else own
        said = dict(outside or {})
        for name, path in self._outer.items():
            value = _enclosing(path, rows, around)
            if value is not None:
                said[name] = value
        return json.dumps([own, said]) if own or said else ""

    def _outside(self, member: Member, first: Found) -> dict[str, Any]:
        """Fields after the rows of a document that neither a row nor an earlier part has."""
        rows = self._mapping.rows
        row = Place(_decoded(first.text))
        missing = {
            name: path
            for name, path in self._outer.items()
            if path.first(row) is None and _enclosing(path, rows, first.around) is None and path.steps[-1:] != (KEY,)
        }
        if not missing or self._glimpse:
            return {}
        scanner = RowScanner(rows, 0)
        with member.open() as file:
            while chunk := file.read(CHUNK):
                for _ in scanner.feed(chunk):
                    pass
        said = self._said_in(scanner.root)
        return {name: value for name, value in said.items() if name in missing}

    def _said_in(self, root: dict[str, Any]) -> dict[str, Any]:
        """Values of a document outside its rows."""
        found = {name: path.first(Place(root)) for name, path in self._outer.items()}
        return {name: value for name, value in found.items() if _is_word(value)}


def _enclosing(path: KeyPath, rows: KeyPath, around: Around) -> Any:
    """The value of a path from the top of the file: first on the way to the row, then outside it."""
    shared = path.shared(rows)
    rest = path.steps[shared:]
    if rest == (KEY,):
        return around.keys[shared - 1] if 0 < shared < len(around.keys) else None
    if shared >= len(around.values):
        return None
    value = KeyPath(rest).first(Place(around.values[shared]))
    return value if _is_word(value) else None


def _is_word(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _decoded(text: bytes | None) -> Any:
    try:
        return json.loads(text or b"null")
    except (ValueError, RecursionError):
        return None
