"""Tidy rows (docs/metrics.md#exports) as JSON, JSON lines, CSV or Parquet. Undefined values are null, and
empty in CSV.
"""

from __future__ import annotations

import codecs
import csv
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from typing import IO, Any

from annotation.exporters.interface import MissingLibrary
from annotation.extras import missing
from annotation.spreadsheets import guarded

Row = Mapping[str, Any]

NEEDS_PYARROW = missing("Parquet", "pyarrow", "parquet", "export as CSV or JSON")


def write_json(out: IO[bytes], rows: Iterable[Row], columns: Sequence[str]) -> int:
    """Write one JSON list, one row per line; return the number of rows."""
    count = 0
    out.write(b"[")
    for count, row in enumerate(rows, 1):
        out.write((b"\n" if count == 1 else b",\n") + _object(row, columns).encode())
    out.write(b"\n]\n")
    return count


def write_jsonl(out: IO[bytes], rows: Iterable[Row], columns: Sequence[str]) -> int:
    """Write one JSON object per line; return the number of rows."""
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007 the last value is returned
        out.write(f"{_object(row, columns)}\n".encode())
    return count


def write_csv(out: IO[bytes], rows: Iterable[Row], columns: Sequence[str]) -> int:
    """Write UTF-8 with a heading and lines ending with CR LF; return the number of rows.

    A text that a spreadsheet would run as a formula gets a leading apostrophe; numbers stay unchanged.
    """
    count = 0
    table = csv.writer(codecs.getwriter("utf-8")(out))
    table.writerow(columns)
    for count, row in enumerate(rows, 1):  # noqa: B007 the last value is returned
        table.writerow([_cell(row.get(name)) for name in columns])
    return count


def write_parquet(out: IO[bytes], rows: Iterable[Row], columns: Sequence[str]) -> int:
    """Write one Parquet table with all rows in memory; return the number of rows. Raises ``MissingLibrary`` without
    pyarrow.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingLibrary(NEEDS_PYARROW) from error
    values: dict[str, list[Any]] = {name: [] for name in columns}
    for row in rows:
        for name in columns:
            values[name].append(_flat(row.get(name)))
    table = pyarrow.table({name: pyarrow.array(_alike(column)) for name, column in values.items()})
    pyarrow.parquet.write_table(table, out)
    return int(table.num_rows)


@cache
def writes_parquet() -> bool:
    """Return whether the library for Parquet is installed."""
    return find_spec("pyarrow") is not None


WRITERS: Mapping[str, Callable[[IO[bytes], Iterable[Row], Sequence[str]], int]] = {
    "json": write_json,
    "jsonl": write_jsonl,
    "csv": write_csv,
    "parquet": write_parquet,
}


def _object(row: Row, columns: Sequence[str]) -> str:
    return json.dumps({name: _defined(row.get(name)) for name in columns}, ensure_ascii=False, allow_nan=False)


def _defined(value: Any) -> Any:
    """Return ``value`` with None for each NaN or infinite number, recursively."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _defined(item) for key, item in value.items()}
    return [_defined(item) for item in value] if isinstance(value, list | tuple) else value


def _flat(value: Any) -> Any:
    """Return ``value`` as one cell: JSON text for lists and objects."""
    value = _defined(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if isinstance(value, dict | list) else value


def _cell(value: Any) -> Any:
    value = _flat(value)
    return guarded(value) if isinstance(value, str) else value


def _alike(column: Sequence[Any]) -> list[Any]:
    """Return a column of one type: mixed numbers as floats, any other mixture as text."""
    kinds = {type(value) for value in column if value is not None}
    if len(kinds) < 2:
        return list(column)
    as_one: Callable[[Any], Any] = float if kinds == {int, float} else str
    return [None if value is None else as_one(value) for value in column]
