"""Every bench runs at a tiny size and gives rows; rows say of themselves whether they are met."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from bench import boxes, importing, invented, machine, reading_files, results, workers
from bench.__main__ import BENCHES
from bench.__main__ import _rows as rows_of
from bench.options import Options
from bench.rows import Row, Skipped, table
from evaluation.importers import IMPORTERS, detect_format
from evaluation.importers.interface import ReadOptions
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.schema import Issue, Severity, Trajectory
from tests import databases, processes
from tests.postgres import NoServer

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


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home folder of every bench, one after the other: the process from which theirs are forked knows only one."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def empty_home(django_db_setup: None, home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the benches begin with, its tables copied from the tests; that on PostgreSQL makes its own."""
    if connection.vendor == "sqlite":
        shutil.copy(databases.migrated(), home / "sightline.sqlite3")
    call("stages:migrate", workers._environ(str(home)))
    return Path(shutil.move(home, tmp_path_factory.mktemp("empty")))


def call(function: str, environ: dict[str, str], **arguments: Any) -> dict[str, Any]:
    ready = processes.parent({**environ, "DJANGO_SETTINGS_MODULE": "webapp.settings"})
    process = ready.start("-m", "bench.workers", function, json.dumps(arguments))
    assert process.wait() == 0, process.output
    # A forked process can end with warnings of an extension module after its answer.
    return dict(json.loads(next(line for line in reversed(process.output.splitlines()) if line.startswith("{"))))


@pytest.fixture
def benches_begin_soon(home: Path, empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def no_server(_: dict[str, str]) -> Iterator[str]:
        raise NoServer("making one takes longer than all the rest")
        yield

    @contextmanager
    def fresh(**_: str) -> Iterator[str]:
        # A bench that looks at two has another, and so another process to fork from.
        one = home.with_name("second") if home.exists() else home
        yield str(one)
        shutil.rmtree(one, ignore_errors=True)

    monkeypatch.setattr(importing, "server", no_server)
    monkeypatch.setattr(workers, "TemporaryDirectory", fresh)
    monkeypatch.setattr(workers, "_migrated", lambda: empty_home)
    monkeypatch.setattr(workers, "call", call)


@pytest.mark.endurance
@pytest.mark.slow
@pytest.mark.usefixtures("benches_begin_soon")
@pytest.mark.parametrize("name", [name for name in BENCHES if name not in ("boxes", "studio", "reading")])
def test_every_bench_gives_rows(name):
    rows = list(rows_of(name, SMALL))
    assert rows
    assert all(row.measured >= 0 for row in rows if isinstance(row, Row))


def test_a_section_that_lacks_a_package_is_skipped_with_the_reason(monkeypatch):
    """D6.15: the others are measured."""
    for module in ("bench.studio", "bench.chromium"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    [row] = rows_of("studio", SMALL)
    assert isinstance(row, Skipped)
    assert "playwright is not installed" in row.reason


def test_make_bench_installs_what_it_needs():
    """D6.15: in a fresh clone it needs the packages of the tests, Chromium's among them."""
    [needs] = re.findall(r"^bench: (.*?) ##", Path("Makefile").read_text(), re.M)
    assert needs == "$(TEST_PACKAGES)"


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


@pytest.mark.parametrize("format", [*reading_files.LINES, "inspect"])
def test_every_file_that_is_read_is_of_its_format_and_read_whole(format: str, tmp_path: Path) -> None:
    path = (reading_files.LINES | {"inspect": reading_files.inspect_log})[format](tmp_path, 20)
    assert detect_format(path)[0].importer == format
    index = MemoryIndex(SampleKey(invented.key(n), f"{invented.key(n)}.jpg") for n in range(20))
    found = list(IMPORTERS[format].read(path, ReadOptions(), index))
    records = [item for item in found if isinstance(item, Trajectory)]
    assert (len(records), all(record.steps for record in records)) == (20, format != "lmms-eval")
    assert not [item for item in found if isinstance(item, Issue) and item.severity == Severity.REFUSED]
