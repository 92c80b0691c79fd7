"""An import that is killed with kill -9 at any moment loses nothing, repeats nothing, and goes on where it stopped."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.models import ImportRecord
from evaluation.models import Run, Step, Trajectory
from tests import processes
from tests.jobs.conftest import database_address  # noqa: F401  a fixture
from tests.processes import Process

Start = Callable[..., Process]
ROWS, STEPS = 8_000, 2

pytestmark = [pytest.mark.slow, pytest.mark.endurance, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """One benchmark of 2 000 samples and four models' trajectories on it."""
    path = tmp_path / "all.json"
    step = {"tool": "zoom_in", "bbox": [1, 1, 9, 9], "image_in": "original", "text": "look " * 20}
    samples = [
        {"id": f"s{i:05d}", "width": 100, "height": 80, "question": "?", "answer_type": "open", "answer": "x"}
        for i in range(ROWS // 4)
    ]
    trajectories = [
        {"model": f"M{i % 4}", "sample_id": f"s{i // 4:05d}", "answer": str(i), "steps": [step] * STEPS}
        for i in range(ROWS)
    ]
    path.write_text(json.dumps({"samples": samples, "trajectories": trajectories}))
    return path


@pytest.fixture
def start(file: Path, database_address: str, tmp_path: Path) -> Start:  # noqa: F811
    """Begin to import the file, in a process of its own."""
    ready = processes.parent(
        {"DATABASE_URL": database_address, "SIGHTLINE_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    )
    return lambda command, *choices: ready.start("manage.py", command, "kitchen", str(file), *choices)


def kill_when(process: Process, rows: int) -> None:
    """kill -9 once so many trajectories are there; fails if the import was over before."""
    end = time.monotonic() + 180
    while Trajectory.objects.count() < rows:
        assert process.poll() is None, process.output
        assert time.monotonic() < end, "the import did not come so far in time"
        time.sleep(0.005)
    process.kill()


def said_by(process: Process) -> str:
    process.wait()
    return process.output


def test_a_killed_import_goes_on_and_a_killed_replacement_changes_nothing(start, lea):
    create_benchmark(actor=lea, slug="kitchen")
    assert f"new {ROWS // 4}" in said_by(start("import_benchmark"))
    chance = random.Random(7)
    for rows in sorted(chance.randrange(1, ROWS * 3 // 4) for _ in range(3)):
        kill_when(start("import_runs"), rows)
    kept = Trajectory.objects.count()
    assert 0 < kept < ROWS
    last = start("import_runs")
    assert last.wait() == 0, last.output
    assert (Trajectory.objects.count(), Step.objects.count(), Run.objects.count()) == (ROWS, ROWS * STEPS, 4)
    record = ImportRecord.objects.get(kind="runs")
    assert record.state == "done"
    assert (record.counts["new"], record.counts.get("changed", 0), record.counts.get("repeated", 0)) == (ROWS, 0, 0)
    otherwise = ("import_runs", "--coordinates", "norm1000", "--replace")
    kill_when(start(*otherwise), ROWS + chance.randrange(1, ROWS * 3 // 4))
    assert set(Step.objects.filter(trajectory__run__in=Run.objects.all()).values_list("coords")) == {("pixel",)}
    assert Trajectory.objects.of(record.benchmark).count() == ROWS
    assert f"changed {ROWS}" in said_by(start(*otherwise))
    assert set(Step.objects.values_list("coords")) == {("norm1000",)}
    assert (Trajectory.objects.count(), Step.objects.count(), Run.everything.count()) == (ROWS, ROWS * STEPS, 4)
