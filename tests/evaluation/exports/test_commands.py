"""What ``manage.py export_*`` leaves behind."""

from __future__ import annotations

import csv
import json
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pyarrow import parquet

from evaluation.management.output import written_to
from evaluation.models import Scoring
from tests.evaluation.run_pages import make_benchmark

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


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


def test_grounded_is_null_outside_the_population_and_its_mean_is_the_grounded_score(lea, tmp_path) -> None:
    """D1.2: in rows, CSV and Parquet."""
    slug = make_benchmark(lea, pictures=False).slug
    for form in ("json", "csv", "parquet"):
        call_command("export_metrics", slug, rows="samples", format=form, output=tmp_path / form)
    rows = json.loads((tmp_path / "json").read_bytes())
    outside = [row for row in rows if not row["in_population"]]
    assert outside
    assert {row["grounded"] for row in outside} == {None}
    for scoring in Scoring.objects.all():
        score = scoring.metrics.get(metric="grounded_score", slice_by="")
        inside = [row["grounded"] for row in rows if row["run"] == scoring.run_id and row["grounded"] is not None]
        assert (len(inside), sum(inside)) == (score.n, score.numerator)
    with (tmp_path / "csv").open() as file:
        assert sum(row["grounded"] == "" for row in csv.DictReader(file)) == len(outside)
    assert parquet.read_table(tmp_path / "parquet")["grounded"].null_count == len(outside)
