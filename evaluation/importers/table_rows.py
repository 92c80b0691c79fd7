"""Rows of predictions from any table: CSV, TSV, an Excel workbook, Parquet, a JSON list or JSONL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.importers.any_table import Cells, open_table, report_of
from annotation.importers.fields import Report, RowRefused
from annotation.importers.interface import Position
from annotation.importers.parquet_rows import ParquetRow, without_bytes
from annotation.importers.reading import RowStream
from annotation.importers.tables import TableRow
from evaluation.importers.interface import PROGRESS_EVERY, ImportProblem, Read, RunSummary
from evaluation.importers.rows import read_rows
from evaluation.schema import Issue, Trajectory

ConvertCells = Callable[[dict[str, Any], Report], Trajectory]
"""The values of a row by column and a report in; a trajectory out, or ``RowRefused``."""


def read_table(path: Path, start: Position, convert: ConvertCells, empty: str, only: str = "") -> Read:
    """All rows of ``path``; ``only``: of several lists the one to read. Raises ``ImportProblem`` when it cannot be
    read, or, saying ``empty``, has no row."""
    stream = open_table(path, start, only)
    if isinstance(stream, RowStream):
        return read_rows(stream, lambda values, _, report: convert(values, report), empty)
    return _read_cells(stream, start, convert, empty)


def _read_cells(stream: Cells, start: Position, convert: ConvertCells, empty: str) -> Read:
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
    report = report_of(row)
    try:
        record = convert(without_bytes(row.values) if isinstance(row, ParquetRow) else dict(row.cells), report)
    except RowRefused as refused:
        return [*report.issues, refused.issue]
    return [*report.issues, replace(record, row=report.row) if report.row else record]
