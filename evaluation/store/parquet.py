"""Writing Parquet files through DuckDB."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evaluation.store.build import Arrays
from evaluation.store.engine import Reader

ROW_GROUP = 8_192
"""Rows that a reader can skip together.

A page of a list skips everything after its last row. Smaller groups skip more, but make reading every row slower."""
_COPY = "COPY ({query}) TO '{path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {rows})"


def write_parquet(query: str, tables: Mapping[str, Arrays], path: Path, folder: Path) -> int:
    """Write the result of a query on these tables to a file in ``folder``, in its order. Return the number of rows."""
    if "'" in str(path):
        raise ValueError(f"A path with a quotation mark cannot be written to: {path}")
    writer = Reader(folder)
    for name, columns in tables.items():
        writer.register(name, columns)
    return writer.write(_COPY.format(query=query, path=path, rows=ROW_GROUP))
