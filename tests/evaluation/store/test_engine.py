"""DuckDB in a process: what it may read and write, and what it leaves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from evaluation.store.engine import Reader, parquet

ROOT = Path(__file__).resolve().parents[3]


def test_a_process_that_asked_something_ends_without_a_word(tmp_path: Path) -> None:
    """DuckDB lists every connection that is open when the interpreter ends, on the error output of a command."""
    code = f"from pathlib import Path; from evaluation.store.engine import Reader; Reader(Path({str(tmp_path)!r}))"
    asked = code + ".rows('SELECT 1', {})"
    done = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_writes_files_of_its_folder_only(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside.parquet"
    inside.mkdir()
    reader = Reader(inside)
    assert reader.write(f"COPY (SELECT 1 AS one) TO '{inside}/rows.parquet' (FORMAT parquet)") == 1
    with pytest.raises(duckdb.PermissionException):
        reader.write(f"COPY (SELECT 1 AS one) TO '{outside}' (FORMAT parquet)")
    assert not outside.exists()


def test_what_is_held_stays_when_its_file_goes(tmp_path: Path) -> None:
    reader, path = Reader(tmp_path), tmp_path / "rows.parquet"
    reader.write(f"COPY (SELECT 7 AS seven) TO '{path}' (FORMAT parquet)")
    reader.view("rows", "FROM " + parquet(path))
    reader.hold("rows")
    path.unlink()
    assert reader.rows("SELECT seven FROM rows", {}) == [(7,)]
