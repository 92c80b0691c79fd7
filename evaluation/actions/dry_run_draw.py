"""Records to show of a file: drawn at random with a fixed seed while the file streams by; and their raw lines."""

from __future__ import annotations

import json
import random
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from annotation.importers.interface import ImportProblem
from annotation.importers.reading import RawRow, RowStream
from annotation.importers.tables import CELL_SUFFIXES
from evaluation.importers.mapped.mapping import KeyMapping
from evaluation.importers.mapped.rows import MappedRows

SEED = 7
DRAWN = 40
TABLES = CELL_SUFFIXES | {".xlsx", ".parquet"}
RAW = 4000
"""Characters of a raw line that are kept."""

Record = TypeVar("Record")


class Draw(Generic[Record]):
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


def _data_files(names: Sequence[str]) -> Sequence[str]:
    return [name for name in names if name.lower().endswith((".json", ".jsonl", ".ndjson"))]


Place = int | str | None
"""The number of a record in its list, where that is known, else its line."""


def raw_rows(
    path: Path, wanted: Iterable[tuple[str, Place, str]], keys: Iterable[str], mapped: KeyMapping | None = None
) -> Mapping[Any, str]:
    """The raw text of rows by (file, place, id): of JSON files the row as written, of tables nothing.

    ``mapped``: where the rows are, in a file that is read by its keys. A second pass over the file that ends when all
    are found. Rows of one place are told apart by the id in them.
    """
    missing: dict[tuple[str, Place], list[str]] = {}
    for file, place, name in wanted:
        missing.setdefault((file, place), []).append(name)
    found: dict[Any, str] = {}
    if path.suffix.lower() in TABLES:
        return found
    try:
        for row in MappedRows(path, mapped, glimpse=True) if mapped else RowStream(path, tuple(keys), pick=_data_files):
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
