"""Reads columns and rows of any table: CSV, TSV, an Excel workbook, Parquet, a JSON list or JSONL."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from annotation.importers.decoding import RowDecoder
from annotation.importers.fields import Report
from annotation.importers.interface import ImportProblem, Position
from annotation.importers.parquet_rows import ParquetRow, ParquetStream, is_parquet, without_bytes
from annotation.importers.reading import RawRow, RowStream
from annotation.importers.record_stream import RecordStream
from annotation.importers.sheets import SheetStream, is_workbook
from annotation.importers.sources import member_names
from annotation.importers.table_heading import flat
from annotation.importers.tables import CELL_SUFFIXES, TableRow, TableStream
from annotation.schema import shortened

WANTED = "a CSV, TSV, XLSX, Parquet, JSON or JSONL file"
NO_ROWS = "The first line must contain the column names, and the rows follow. In JSON, use a list of objects."
MAX_COLUMNS = 200
EXAMPLES = 3
_DATA = CELL_SUFFIXES | {".json", ".jsonl", ".ndjson"}

Cells = TableStream | SheetStream | ParquetStream


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table and the first values in it, shortened."""

    name: str
    examples: tuple[str, ...] = ()


def report_of(row: TableRow | ParquetRow) -> Report:
    """The place that issues give a row: rows of Parquet have numbers and no lines."""
    return Report(row.file, None, row=str(row.line)) if isinstance(row, ParquetRow) else Report(row.file, row.line)


def open_table(path: Path, start: Position, only: str = "") -> Cells | RowStream:
    """The rows of ``path``: of cells, or as JSON, there of several lists the one named ``only``. Raises
    ``ImportProblem`` when it cannot be read."""
    if is_workbook(path):
        return SheetStream(path, start)
    if _is_cells(path):
        return TableStream(path, start)
    if is_parquet(path):
        return ParquetStream(path, start)
    return RecordStream(path, start, wanted=WANTED, only=only)


def columns_of(path: Path, only: str = "") -> list[Column]:
    """The columns of a table with examples, from its first rows. Raises ``ImportProblem`` when there is no table."""
    names, rows = first_rows(path, only=only)
    found: dict[str, list[str]] = {name: [] for name in names}
    for row in rows:
        for name, value in flat(row).items():
            examples = found.setdefault(name, [])
            text = shortened(
                value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str), 60
            )
            if len(examples) < EXAMPLES and text not in {"", "null", '""'} and text not in examples:
                examples.append(text)
    return [Column(name, tuple(examples)) for name, examples in list(found.items())[:MAX_COLUMNS]]


def first_rows(path: Path, count: int = 50, only: str = "") -> tuple[list[str], list[dict[str, Any]]]:
    """The heading of a table ([] where rows name their own columns) and its first rows. Raises ``ImportProblem``."""
    if is_workbook(path) or _is_cells(path):
        stream = SheetStream(path) if is_workbook(path) else TableStream(path)
        found = (dict(row.cells) for row in stream if isinstance(row, TableRow))
        return list(stream.columns), list(islice(found, count))
    if is_parquet(path):
        table = ParquetStream(path)
        return list(table.columns), [without_bytes(row.values) for row in islice(table, count)]
    decoder = RowDecoder()
    raw = (row for row in RecordStream(path, wanted=WANTED, only=only) if isinstance(row, RawRow))
    rows = (decoder.decode(row)[0] for row in islice(raw, count))
    return [], [row for row in rows if row is not None]


def _is_cells(path: Path) -> bool:
    """Whether it is a file of cells, or a zip or folder that holds one and no JSON."""
    if path.suffix.lower() in CELL_SUFFIXES:
        return True
    try:
        names = member_names(path)
    except ImportProblem:
        return False
    data = [suffix for name in names if (suffix := PurePosixPath(name).suffix.lower()) in _DATA]
    return bool(data) and all(suffix in CELL_SUFFIXES for suffix in data)
