"""Writing Parquet files through DuckDB."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb

from evaluation.store.build import Arrays

ROW_GROUP = 8_192
"""Rows that a reader can skip together. A page of a list skips what lies behind its last row: of smaller groups more,
while what reads every row takes longer."""
_COPY = "COPY ({query}) TO '{path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {rows})"


def write_parquet(query: str, tables: Mapping[str, Arrays], path: Path) -> int:
    """Write what a query makes of these tables of columns to a file, in its order, and return the number of rows."""
    if "'" in str(path):
        raise ValueError(f"A path with a quotation mark cannot be written to: {path}")
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        for name, columns in tables.items():
            connection.register(name, columns)
        [(rows,)] = connection.execute(_COPY.format(query=query, path=path, rows=ROW_GROUP)).fetchall()
    return int(rows)
