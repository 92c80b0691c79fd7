"""Writing Parquet files through DuckDB."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evaluation.store.build import Arrays
from evaluation.store.engine import Reader

ROW_GROUP = 8_192
"""Rows that a reader can skip together. A page of a list skips what lies behind its last row: of smaller groups more,
while what reads every row takes longer."""
_COPY = "COPY ({query}) TO '{path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {rows})"


def write_parquet(query: str, tables: Mapping[str, Arrays], path: Path, folder: Path) -> int:
    """Write what a query makes of these tables of columns to a file below ``folder``, in its order, and return the
    number of rows."""
    if "'" in str(path):
        raise ValueError(f"A path with a quotation mark cannot be written to: {path}")
    writer = Reader(folder)
    for name, columns in tables.items():
        writer.register(name, columns)
    return writer.write(_COPY.format(query=query, path=path, rows=ROW_GROUP))
