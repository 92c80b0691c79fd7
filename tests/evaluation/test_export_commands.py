"""What ``manage.py export_*`` leaves behind."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.management.output import written_to
from tests.evaluation.run_pages import make_benchmark

pytestmark = pytest.mark.django_db


def test_a_file_stands_under_its_name_only_when_it_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "metrics.csv"
    file.write_bytes(b"of yesterday")
    with suppress(KeyboardInterrupt), written_to(file) as out:
        out.write(b"half of")
        raise KeyboardInterrupt
    assert file.read_bytes() == b"of yesterday"
    with written_to(file) as out:
        out.write(b"of today")
    assert file.read_bytes() == b"of today"
    assert [*tmp_path.iterdir()] == [file]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(CommandError, match="cannot be written: No such file or directory"),
        written_to(tmp_path / "none" / "metrics.csv"),
    ):
        pass


@pytest.mark.parametrize("words", [("export_metrics", "--format=parquet"), ("export_benchmark", "--format=parquet")])
def test_without_pyarrow_nothing_is_written_and_it_is_said_how_to_get_it(lea, tmp_path, monkeypatch, words) -> None:
    slug = make_benchmark(lea, models=["Model C"], pictures=False).slug
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(CommandError, match=r"pip install '\.\[parquet\]'"):
        call_command(*words, slug, output=tmp_path / "taken.parquet")
    assert [*tmp_path.iterdir()] == []
