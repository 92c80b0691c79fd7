"""Whatever holds a table: CSV, TSV, an Excel workbook, Parquet, a JSON list or JSONL. Its columns, and its rows."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from annotation.importers.decoding import RowDecoder
from annotation.importers.fields import Report
from annotation.importers.interface import ImportProblem, Position
from annotation.importers.parquet_rows import ParquetRow, ParquetStream, is_parquet, without_bytes
from annotation.importers.reading import RawRow, RowStream, is_lines
from annotation.importers.sheets import SheetStream, is_workbook
from annotation.importers.sources import member_names
from annotation.importers.storable import storable
from annotation.importers.tables import CELL_SUFFIXES, TableRow, TableStream, delimiter_of
from annotation.schema import shortened

WANTED = "a CSV, TSV, XLSX, Parquet, JSON or JSONL file"
NO_ROWS = "Put the names of the columns into the first line and the rows below; in JSON, give a list of objects."
MAX_COLUMNS = 200
EXAMPLES = 3
DEPTH = 3
_DATA = CELL_SUFFIXES | {".json", ".jsonl", ".ndjson"}

Cells = TableStream | SheetStream | ParquetStream


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table and the first values in it, shortened."""

    name: str
    examples: tuple[str, ...] = ()


def report_of(row: TableRow | ParquetRow) -> Report:
    """Where issues of a row say that it stands: rows of Parquet have numbers and no lines."""
    return Report(row.file, None, row=str(row.line)) if isinstance(row, ParquetRow) else Report(row.file, row.line)


def open_table(path: Path, start: Position) -> Cells | RowStream:
    """The rows of ``path``: of cells, or as JSON. Raises ``ImportProblem`` when it cannot be read."""
    if is_workbook(path):
        return SheetStream(path, start)
    if _is_cells(path):
        return TableStream(path, start)
    if is_parquet(path):
        return ParquetStream(path, start)
    return RowStream(path, (), start, wanted=WANTED)


def heading(head: bytes, name: str) -> list[str]:
    """The columns that the first bytes show; of JSON those of the first row."""
    if head.startswith(b"PAR1\n"):
        return head.decode("utf-8", "replace").split("\n", 1)[1].split("\t")
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").lstrip()
    if text[:1] == "[" or (text[:1] == "{" and is_lines(head, name)):
        try:
            row, _ = json.JSONDecoder().raw_decode(text[1:].lstrip() if text[0] == "[" else text)
        except (ValueError, RecursionError):
            return []
        return [storable(column) for column in flat(row)] if isinstance(row, dict) else []
    if not name.lower().endswith((".csv", ".tsv", ".tab", ".xlsx")):
        return []
    first = text.split("\n", 1)[0].rstrip("\r")
    try:
        return [storable(cell.strip()) for cell in next(csv.reader([first], delimiter=delimiter_of(first)), [])]
    except csv.Error:
        return []


def columns_of(path: Path) -> list[Column]:
    """The columns of a table with examples, from its first rows. Raises ``ImportProblem`` when there is no table."""
    names, rows = first_rows(path)
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


def flat(row: Mapping[str, Any], depth: int = DEPTH) -> dict[str, Any]:
    """A row with the keys of objects in it as columns of their own.

    >>> flat({"id": 1, "usage": {"cost": 0.5}})
    {'id': 1, 'usage.cost': 0.5}
    """
    if not any(type(value) is dict for value in row.values()):
        return dict(row)
    found: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict) and value and depth > 1:
            found |= {f"{key}.{inner}": item for inner, item in flat(value, depth - 1).items()}
        else:
            found[key] = value
    return found


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
