"""Skips rows that are stored unchanged: they are neither decoded nor converted nor compared again.

A row is recognized by a digest of its bytes and of everything else that its record depends on: its file and list, the
importer, the choices of the person importing, the samples if rows are matched by their content, and the code of the
importers. If any of these changes, the row is read. A row with an issue has no digest: it is always read, so that every
import reports the issue.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path

from annotation import schema as sample_schema
from annotation.importers.reading import RawRow
from evaluation import schema as run_schema

SIZE = 16
"""Bytes of a digest."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored trajectory: what there is one of, what is counted of it, and the import that wrote it."""

    model: str
    setting: str
    sample_id: str
    rollout: int
    condition: str
    failed: bool
    steps: int
    source: int | None


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A row that says what is stored already, and its place."""

    stored: Stored
    file: str
    line: int
    row: str = ""


Find = Callable[[Sequence[bytes]], Mapping[bytes, Stored]]
"""From the digests of rows, those whose trajectory is stored as the row says."""


class UnchangedRowDetector:
    """Recognizes the rows of one import that are stored. ``about``: everything that records depend on except their
    rows."""

    def __init__(self, find: Find, *about: str) -> None:
        self._start = blake2b(json.dumps([_code(), *about]).encode(), digest_size=SIZE)
        self.find = find

    def digest(self, row: RawRow) -> bytes:
        total = self._start.copy()
        total.update(f"{row.file}\0{row.key}\0".encode("utf-8", "surrogateescape"))
        total.update(row.text)
        return total.digest()


@cache
def _code() -> str:
    """Names the code that makes a record of a row: after any change of it, every row is read again."""
    total = blake2b(digest_size=SIZE)
    for schema in (sample_schema, run_schema):
        room = Path(str(schema.__file__)).parent
        for file in (room / "schema.py", *sorted((room / "importers").rglob("*.py"))):
            total.update(file.read_bytes())
    return total.hexdigest()
