"""Records to show of a file: drawn at random with a fixed seed while the file streams by; and their raw lines."""

from __future__ import annotations

import json
import random
from collections.abc import Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from annotation.importers.interface import ImportProblem
from annotation.importers.reading import RawRow, RowStream
from annotation.importers.record_stream import RecordStream
from annotation.importers.tables import CELL_SUFFIXES
from evaluation.importers.mapped.mapping import KeyMapping
from evaluation.importers.mapped.rows import MappedRows

SEED = 7
DRAWN = 40
TABLES = CELL_SUFFIXES | {".xlsx", ".parquet"}
RAW = 4000
"""Characters of a raw line that are kept."""

Record = TypeVar("Record")


class ReservoirSample(Generic[Record]):
    """``DRAWN`` of any number of records, each as likely (reservoir sampling); the last record of a key counts."""

    def __init__(self) -> None:
        self._random = random.Random(SEED)
        self._drawn: dict[Hashable, Record] = {}
        self._seen = 0

    def take(self, key: Hashable, record: Record) -> None:
        if key in self._drawn:
            self._drawn[key] = record
            return
        self._seen += 1
        if len(self._drawn) < DRAWN:
            self._drawn[key] = record
            return
        place = self._random.randrange(self._seen)
        if place < DRAWN:
            del self._drawn[list(self._drawn)[place]]
            self._drawn[key] = record

    def records(self) -> list[Record]:
        """In the order they are shown in: shuffled, so that any five are a fair five."""
        found = list(self._drawn.values())
        random.Random(SEED).shuffle(found)
        return found


LISTS = {"native": ("samples", "trajectories"), "inspect": ("samples",)}
"""The lists with the rows of a format; in other formats a row is a record, in any layout of the file."""


Place = int | str | None
"""The number of a record in its list, if known, else its line."""


def raw_rows(
    path: Path, wanted: Iterable[tuple[str, Place, str]], format: str, mapped: KeyMapping | None = None
) -> Mapping[Any, str]:
    """Return the raw text of rows by (file, place, id): the row as written in JSON files, nothing in tables.

    ``mapped``: the path of the rows, in a file that is read by its keys. A second pass over the file ends when all are
    found. Rows at one place are distinguished by their ids.
    """
    missing: dict[tuple[str, Place], list[str]] = {}
    for file, place, name in wanted:
        missing.setdefault((file, place), []).append(name)
    found: dict[Any, str] = {}
    if path.suffix.lower() in TABLES:
        return found
    try:
        for row in _rows_of(path, format, mapped):
            at = isinstance(row, RawRow) and (row.file, row.row or row.line)
            if not isinstance(row, RawRow) or at not in missing:
                continue
            names = missing[at]
            ours = next((n for n in names if len(names) == 1 or json.dumps(n).encode() in row.text), None)
            if ours is None:
                continue
            found[*at, ours] = row.text[:RAW].decode("utf-8", "replace")
            names.remove(ours)
            if not names:
                del missing[at]
            if not missing:
                break
    except ImportProblem:
        return found
    return found


def _rows_of(path: Path, format: str, mapped: KeyMapping | None) -> Iterator[object]:
    """The rows as the reader of the format meets them; of other rows none would be found, to the end of the file."""
    if mapped:
        return iter(MappedRows(path, mapped, glimpse=True))
    return iter(RowStream(path, LISTS[format]) if format in LISTS else RecordStream(path))
