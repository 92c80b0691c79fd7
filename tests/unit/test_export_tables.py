"""Tidy rows as JSON, CSV and Parquet."""

from __future__ import annotations

import csv
import io
import json
import sys
from typing import Any

import pytest

from evaluation.exporters.tables import WRITERS, MissingLibrary, write_csv, write_json, write_parquet

COLUMNS = ("model", "value", "n", "detail")
ROWS: list[dict[str, Any]] = [
    {"model": "=cmd()", "value": 0.1 + 0.2, "n": 3, "detail": {"lost": 1, "p": float("nan")}, "other": "not written"},
    {"model": 'äöü, "q"\n', "value": None, "n": -5, "detail": {}},
    {"model": "-m", "value": float("nan"), "n": 0, "detail": None},
]


def written(name: str, rows: list[dict[str, Any]]) -> bytes:
    out = io.BytesIO()
    assert WRITERS[name](out, iter(rows), COLUMNS) == len(rows)
    return out.getvalue()


def test_json_is_one_list_with_null_for_what_is_undefined() -> None:
    first, second, third = json.loads(written("json", ROWS))
    assert first == {"model": "=cmd()", "value": 0.30000000000000004, "n": 3, "detail": {"lost": 1, "p": None}}
    assert (second["value"], third["value"]) == (None, None)
    assert json.loads(written("json", [])) == []


def test_csv_disarms_formulas_in_texts_and_leaves_numbers() -> None:
    rows = list(csv.DictReader(io.StringIO(written("csv", ROWS).decode(), newline="")))
    assert [row["model"] for row in rows] == ["'=cmd()", 'äöü, "q"\n', "'-m"]
    assert [row["n"] for row in rows] == ["3", "-5", "0"]
    assert [row["value"] for row in rows] == ["0.30000000000000004", "", ""]
    assert json.loads(rows[0]["detail"]) == {"lost": 1, "p": None}


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_each_start_of_a_formula_is_disarmed(start: str) -> None:
    out = io.BytesIO()
    write_csv(out, [{"a": f"{start}1"}], ("a",))
    assert next(csv.DictReader(io.StringIO(out.getvalue().decode(), newline="")))["a"] == f"'{start}1"


def test_parquet_keeps_numbers_as_numbers() -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    table = parquet.read_table(io.BytesIO(written("parquet", [*ROWS, {"value": 1, "n": 2}])))
    assert table.column("value").to_pylist() == [0.30000000000000004, None, None, 1.0]
    assert table.column("n").to_pylist() == [3, -5, 0, 2]
    assert table.column("model").to_pylist()[0] == "=cmd()"


def test_parquet_without_its_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingLibrary, match=r"pip install '\.\[parquet\]'"):
        write_parquet(io.BytesIO(), [], COLUMNS)


def test_a_number_that_is_none_is_never_written_as_nan() -> None:
    out = io.BytesIO()
    write_json(out, [{"model": [float("inf")], "value": float("-inf")}], COLUMNS)
    assert b"Infinity" not in out.getvalue()
