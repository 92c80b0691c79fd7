"""Every bench runs at a tiny size and gives rows; rows say of themselves whether they are met."""

from __future__ import annotations

import pytest

from bench import boxes, invented, machine, results
from bench.__main__ import BENCHES
from bench.options import Options
from bench.rows import Row, Skipped, table
from evaluation.importers import IMPORTERS
from evaluation.importers.interface import ReadOptions
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.schema import Issue, Trajectory

SMALL = Options(small=True)


@pytest.mark.parametrize(
    ("row", "met", "ratio"),
    [
        (Row("b", "at most", 5, "s", 10), True, 0.5),
        (Row("b", "at most", 20, "s", 10), False, 2.0),
        (Row("b", "at least", 20, "a second", 10, most=False), True, 2.0),
        (Row("b", "at least", 5, "a second", 10, most=False), False, 0.5),
    ],
)
def test_a_row_knows_whether_it_is_met(row, met, ratio):
    assert (row.met, row.ratio) == (met, ratio)


def test_the_table_shows_values_targets_and_reasons():
    lines = table([Row("b", "speed", 1234.5, "a second", 1000, False, "rows"), Skipped("b", "other", "no such thing")])
    assert "1,234 a second" in lines
    assert "≥ 1,000 a second" in lines
    assert lines.splitlines()[-1].endswith("| no such thing |")


def test_the_invented_run_is_read_without_an_issue(tmp_path):
    path = tmp_path / "trajectories.jsonl"
    invented.write_run(path, 40, 20)
    index = MemoryIndex(SampleKey(sample.id) for sample in invented.samples(20))
    found = list(IMPORTERS["native"].read(path, ReadOptions(), index))
    assert sum(isinstance(item, Trajectory) and len(item.steps) == 3 for item in found) == 40
    assert not [item for item in found if isinstance(item, Issue)]


def test_boxes_are_measured_against_copies():
    first = next(iter(boxes.measure(SMALL)))
    assert isinstance(first, Row)
    assert first.measured > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in BENCHES if name not in ("boxes", "studio")])
def test_every_bench_gives_rows(name):
    rows = list(BENCHES[name](SMALL))
    assert rows
    assert all(row.measured >= 0 for row in rows if isinstance(row, Row))


def test_a_bench_that_is_measured_again_leaves_the_sections_of_others(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path / "RESULTS.md")
    for name, shown in (("b", "first of b"), ("a", "first of a"), ("b", "second of b")):
        results.keep(name, ["Memory: 1 GiB"], shown, ["a", "b"])
    written = (tmp_path / "RESULTS.md").read_text()
    assert written.startswith(results.HEAD)
    assert written.index("## a") < written.index("first of a") < written.index("## b") < written.index("second of b")
    assert "first of b" not in written


def test_the_machine_is_described_without_a_path():
    described = "\n".join(machine.describe())
    assert "Python" in described
    assert "/" not in described.replace("SQLite", "")
