"""Rows of Parquet files: one, or the shards of a folder or zip, as in Hugging Face data sets.

Rows are read in small batches. pyarrow is an extra; without it the message says how to install it. The sizes declared
in a file are checked against the limits before a page is unpacked.
"""

from __future__ import annotations

import datetime
import decimal
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import NamedTemporaryFile
from typing import IO, Any

from annotation.extras import missing
from annotation.importers.interface import ImportProblem, Position, Progress
from annotation.importers.sources import Limits, Member, member_names, open_members
from annotation.importers.storable import storable

BATCH = 32
GROUP_BYTES = 2 << 30
"""A row group may take so much memory unpacked, as the file says."""
_SHARD = re.compile(r"(?P<split>[A-Za-z0-9_.]+?)-\d{5}-of-\d{5}(?:-[0-9a-f]+)?\Z")


@dataclass(frozen=True, slots=True)
class ParquetRow:
    """One row as plain values. ``split`` is that of the file's name (``train-00000-of-00002.parquet``), else ""."""

    file: str
    line: int
    split: str
    values: dict[str, Any]


def is_parquet(path: Path) -> bool:
    """Whether it is a Parquet file, or a folder or zip with such files and no other rows."""
    if path.suffix.lower() == ".parquet":
        return path.is_file()
    try:
        suffixes = {PurePosixPath(name).suffix.lower() for name in member_names(path)}
    except ImportProblem:
        return False
    return ".parquet" in suffixes and not suffixes & {".jsonl", ".ndjson", ".tsv", ".csv"}


class ParquetStream:
    """Iterates the rows of ``path``; ``columns`` are those of the first file. Raises ``ImportProblem``."""

    def __init__(self, path: Path, start: Position | None = None, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._members = open_members(path, _shards, "Parquet files", self._limits, deep=True, parquet=True)
        self._total = sum(member.size for member in self._members)
        self._at = start or Position()
        self._share = 0.0
        self.columns = self._first_columns()

    def progress(self) -> Progress:
        """Everything up to here has been given; bytes are in proportion to the rows of a file."""
        names = [member.name for member in self._members]
        place = names.index(self._at.member) if self._at.member in names else 0
        before = sum(member.size for member in self._members[:place])
        read = min(self._total, before + round(self._members[place].size * self._share))
        return Progress(self._at.member, self._at.line, self._at.line, read, self._total)

    def __iter__(self) -> Iterator[ParquetRow]:
        names = [member.name for member in self._members]
        if self._at.member and self._at.member not in names:
            raise ImportProblem(f"{self._at.member}, where reading stopped, is not in this folder. Start again.")
        first = names.index(self._at.member) if self._at.member else 0
        for member in self._members[first:]:
            begin = self._at.line if member.name == self._at.member else 0
            with _opened(member) as table:
                yield from self._rows(table, member, begin)

    def _rows(self, table: Any, member: Member, begin: int) -> Iterator[ParquetRow]:
        """Yield rows numbered from 1; those up to ``begin`` are skipped."""
        _refuse_bombs(table, member, self._limits)
        match = _SHARD.fullmatch(PurePosixPath(member.name).stem)
        total, number = max(1, table.metadata.num_rows), 0
        for batch in table.iter_batches(batch_size=BATCH):
            if number + batch.num_rows <= begin:
                number += batch.num_rows
                continue
            for values in batch.to_pylist():
                number += 1
                if number <= begin:
                    continue
                self._at, self._share = Position(member.name, number, number), number / total
                yield ParquetRow(member.name, number, match["split"] if match else "", _plain(values))

    def _first_columns(self) -> list[str]:
        with _opened(self._members[0]) as table:
            return [storable(str(name)) for name in table.schema_arrow.names]


def _shards(names: Sequence[str]) -> Sequence[str]:
    return sorted(name for name in names if name.lower().endswith(".parquet"))


@contextmanager
def _opened(member: Member) -> Iterator[Any]:
    """The file as a table to read from. A member of a zip is unpacked first, as Parquet is read from its end."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportProblem(missing("Parquet", "pyarrow", "parquet", "save the rows as JSONL")) from error
    try:
        with _on_disk(member) as path:
            yield pyarrow.parquet.ParquetFile(path, memory_map=False)
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        said = str(error).split("\n", 1)[0][:200]
        raise ImportProblem(f"{member.name} is not a readable Parquet file ({said}). Write it again.") from error


@contextmanager
def _on_disk(member: Member) -> Iterator[str]:
    if not member.in_zip:
        yield str(member.path)
        return
    with NamedTemporaryFile(suffix=".parquet") as file, member.open() as packed:
        _copy(packed, file, member.size)
        yield file.name


def _copy(packed: IO[bytes], file: Any, size: int) -> None:
    shutil.copyfileobj(packed, file, 1 << 20)
    file.flush()
    if file.tell() > size:
        raise ImportProblem("A file in the zip is larger than the zip says. Zip it again.")


def _refuse_bombs(table: Any, member: Member, limits: Limits) -> None:
    sizes = [table.metadata.row_group(n).total_byte_size for n in range(table.metadata.num_row_groups)]
    if sizes and max(sizes) > GROUP_BYTES:
        raise ImportProblem(
            f"{member.name} has a row group of {max(sizes):,} bytes unpacked (limit: {GROUP_BYTES:,}). "
            "Write it with smaller row groups."
        )
    if sum(sizes) > limits.total_bytes:
        raise ImportProblem(f"{member.name} contains {sum(sizes):,} bytes unpacked (limit: {limits.total_bytes:,}).")


def without_bytes(values: dict[str, Any]) -> dict[str, Any]:
    """A row without its images, as JSON that can be stored; of an image its path is left."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict) and "bytes" in value:
            value = value.get("path")
        if not isinstance(value, bytes):
            found[name] = storable(value)
    return found


def _plain(value: Any) -> Any:
    """Values as JSON has them; bytes stay, for images."""
    if isinstance(value, dict):
        return {storable(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        return str(value)
    return value
