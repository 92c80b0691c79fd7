"""Rows of predictions from whatever holds a table: CSV, TSV, an Excel workbook, Parquet, a JSON list or JSONL."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from annotation.importers.decoding import RowDecoder
from annotation.importers.fields import Report, RowRefused
from annotation.importers.interface import Position
from annotation.importers.parquet_rows import ParquetRow, ParquetStream, is_parquet, without_bytes
from annotation.importers.reading import RawRow, RowStream
from annotation.importers.sheets import SheetStream, is_workbook
from annotation.importers.sources import member_names
from annotation.importers.tables import CELL_SUFFIXES, TableRow, TableStream
from evaluation.importers.interface import PROGRESS_EVERY, ImportProblem, Read, RunSummary
from evaluation.importers.rows import read_rows
from evaluation.schema import Issue, Trajectory

WANTED = "a CSV, TSV, XLSX, Parquet, JSON or JSONL file"
_DATA = CELL_SUFFIXES | {".json", ".jsonl", ".ndjson"}

ConvertCells = Callable[[dict[str, Any], Report], Trajectory]
"""The values of a row by column and a report in; a trajectory out, or ``RowRefused``."""


def read_table(path: Path, start: Position, convert: ConvertCells, empty: str) -> Read:
    """All rows of ``path``. Raises ``ImportProblem`` when it cannot be read, or, saying ``empty``, has no row."""
    if is_workbook(path):
        return _read_cells(SheetStream(path, start), start, convert, empty)
    if _is_cells(path):
        return _read_cells(TableStream(path, start), start, convert, empty)
    if is_parquet(path):
        return _read_cells(ParquetStream(path, start), start, convert, empty)
    stream = RowStream(path, (), start, wanted=WANTED)
    return read_rows(stream, lambda values, _, report: convert(values, report), empty)


def first_rows(path: Path, count: int = 50) -> tuple[list[str], list[dict[str, Any]]]:
    """The heading of a table ([] where rows name their own columns) and its first rows. Raises ``ImportProblem``."""
    if is_workbook(path) or _is_cells(path):
        stream = SheetStream(path) if is_workbook(path) else TableStream(path)
        found = (dict(row.cells) for row in stream if isinstance(row, TableRow))
        return list(stream.columns), list(islice(found, count))
    if is_parquet(path):
        table = ParquetStream(path)
        return list(table.columns), [without_bytes(row.values) for row in islice(table, count)]
    decoder = RowDecoder()
    raw = (row for row in RowStream(path, (), wanted=WANTED) if isinstance(row, RawRow))
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


def _read_cells(
    stream: SheetStream | TableStream | ParquetStream, start: Position, convert: ConvertCells, empty: str
) -> Read:
    rows = given = failed = 0
    for number, row in enumerate(stream):
        if isinstance(row, Issue):
            yield row
            continue
        rows += 1
        yield from (items := _converted(row, convert))
        for item in items:
            if isinstance(item, Trajectory):
                given += 1
                failed += bool(item.error)
        if number % PROGRESS_EVERY == PROGRESS_EVERY - 1:
            yield stream.progress()
    yield stream.progress()
    if start.member:
        return
    yield RunSummary(given, failed)
    if not rows:
        raise ImportProblem(empty)


def _converted(row: TableRow | ParquetRow, convert: ConvertCells) -> list[Trajectory | Issue]:
    report = Report(row.file, row.line)
    try:
        record = convert(without_bytes(row.values) if isinstance(row, ParquetRow) else dict(row.cells), report)
    except RowRefused as refused:
        return [*report.issues, refused.issue]
    return [*report.issues, record]
