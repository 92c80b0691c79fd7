"""Rows of predictions from whatever holds a table: TSV, an Excel workbook, a JSON list or JSONL."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from annotation.importers.fields import Report, RowRefused
from annotation.importers.interface import Position
from annotation.importers.reading import RowStream
from annotation.importers.sheets import SheetStream, is_workbook
from annotation.importers.tables import TableRow, TableStream
from evaluation.importers.interface import PROGRESS_EVERY, ImportProblem, Read, RunSummary
from evaluation.importers.rows import read_rows
from evaluation.schema import Issue, Trajectory

ConvertCells = Callable[[dict[str, Any], Report], Trajectory]
"""The values of a row by column and a report in; a trajectory out, or ``RowRefused``."""


def read_table(path: Path, start: Position, convert: ConvertCells, empty: str) -> Read:
    """All rows of ``path``. Raises ``ImportProblem`` when it cannot be read, or, saying ``empty``, has no row."""
    if is_workbook(path):
        return _read_cells(SheetStream(path, start), start, convert, empty)
    if path.suffix.lower() in {".tsv", ".tab"}:
        return _read_cells(TableStream(path, start), start, convert, empty)
    stream = RowStream(path, (), start, wanted="a TSV, XLSX, JSON or JSONL file")
    return read_rows(stream, lambda values, _, report: convert(values, report), empty)


def _read_cells(stream: SheetStream | TableStream, start: Position, convert: ConvertCells, empty: str) -> Read:
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


def _converted(row: TableRow, convert: ConvertCells) -> list[Trajectory | Issue]:
    report = Report(row.file, row.line)
    try:
        record = convert(dict(row.cells), report)
    except RowRefused as refused:
        return [*report.issues, refused.issue]
    return [*report.issues, record]
