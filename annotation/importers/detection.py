"""Chooses the bytes that detectors see of a file, a folder or a zip: both ends of its most informative member."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Protocol

from annotation.importers.interface import Detection
from annotation.importers.parquet_rows import ParquetStream, is_parquet
from annotation.importers.record_stream import DATA, data_files
from annotation.importers.sheets import SheetStream, is_workbook
from annotation.importers.sources import HEAD_BYTES, Limits, Member, member_names, open_members
from annotation.importers.tables import CELL_SUFFIXES

_DATA = DATA | CELL_SUFFIXES


class Detector(Protocol):
    """An entry of a table of importers."""

    @property
    def name(self) -> str: ...

    def detect(self, head: bytes, name: str, /) -> Detection: ...


def glimpse(path: Path, keys: Sequence[str]) -> tuple[bytes, str]:
    """Return the first and, for a plain file, last bytes of the member used for detection, and its name.

    In a folder or zip, the member is ``<key>.jsonl`` of the first key that exists, else the first table or JSON file.
    For a workbook the bytes are its heading; for Parquet, a line "PAR1" and the names of its columns. If each record is
    a separate file, the name includes its folders ("./17.json", "run1/val_17/output.json"). Raises ``ImportProblem``.
    """
    if is_workbook(path):
        return "\t".join(SheetStream(path).columns).encode(), path.name
    if is_parquet(path):
        return b"PAR1\n" + "\t".join(ParquetStream(path).columns).encode(), path.name
    member = the_member(path, keys)
    name = PurePosixPath(member.name)
    of_several = name.suffix.lower() in DATA and len(data_files(member_names(path))) > 1
    return _ends(member), f"./{name}" if of_several else name.name


def the_member(path: Path, keys: Sequence[str]) -> Member:
    """Return the member used for detection: the file or a member of a folder or zip. Raises ``ImportProblem``."""

    def pick(names: Sequence[str]) -> Sequence[str]:
        data = [name for name in names if PurePosixPath(name).suffix.lower() in _DATA]
        # Files whose names begin with an underscore or a dot are notes of the writer, such as the journal of an Inspect
        # log.
        data.sort(key=lambda name: name.startswith(("_", ".")) or "/_" in name or "/." in name)
        known = [name for key in keys for name in data if PurePosixPath(name).stem == key]
        return (known or data)[:1]

    return open_members(path, pick, "a JSON, JSONL, TSV, CSV or XLSX file", Limits(), deep=True)[0]


def _ends(member: Member) -> bytes:
    with member.open() as file:
        head = file.read(HEAD_BYTES)
        if member.in_zip or member.size <= 2 * HEAD_BYTES:
            return head + file.read(HEAD_BYTES)
        file.seek(-HEAD_BYTES, 2)
        return head + b"\n" + file.read()


TABLE = "table"
"""The importer that reads any file with columns."""


PAIRS = frozenset({"llava", "detector"})
"""The importers that read pairs of files, such as questions and answers: each of the first few files is examined."""
MOST_LOOKED_AT = 4


def detected(path: Path, keys: Sequence[str], importers: Iterable[Detector]) -> list[Detection]:
    """Return the possible formats of ``path``, the most certain first. Names of folders matter only for a table."""
    head, place = glimpse(path, keys)
    name = PurePosixPath(place).name
    heads = [head, *_others(path)] if "/" in place else [head]
    found = []
    for one in importers:
        if one.name in PAIRS:
            found.append(max((one.detect(some, name) for some in heads), key=lambda detection: detection.confidence))
        else:
            found.append(one.detect(head, place if one.name == TABLE else name))
    return best_first(found)


def _others(path: Path) -> list[bytes]:
    """Return the beginnings of the first few files of records in a folder or zip."""

    def pick(names: Sequence[str]) -> Sequence[str]:
        return data_files(names)[:MOST_LOOKED_AT]

    return [member.head() for member in open_members(path, pick, "JSON files", Limits(), deep=True)]


def best_first(detections: Iterable[Detection]) -> list[Detection]:
    """Return the possible formats, the most likely one first."""
    return sorted((d for d in detections if d.confidence > 0), key=lambda d: -d.confidence)
