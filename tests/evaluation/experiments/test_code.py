"""The protocol ``code``: the stand-in writes Python, which the job of the experiment runs in the sandbox."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.samples import save_samples
from annotation.images.store import store_pictures
from annotation.importers import IMPORTERS
from annotation.importers.interface import ReadOptions
from annotation.models import Benchmark, Image
from annotation.schema import SampleRecord
from annotation.workflow import Role
from evaluation.experiments.write.create import Choices, create_experiment
from evaluation.experiments.write.endpoints import add_endpoint
from evaluation.experiments.write.states import start_all
from evaluation.models import Experiment, Trajectory
from evaluation.runner.dialects.zoom import ZoomImage
from evaluation.sandbox import Python
from evaluation.stand_in.moves import recorded_moves
from evaluation.stand_in.recorded import DEMO
from evaluation.stand_in.server import StandIn
from tests.evaluation.sandbox.interpreters import readable_python
from tests.evaluation.stand_in.attempts import RECORDED
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

AGENT = "contrast zoom"
KEYS = ("street-day-01", "street-day-02")


def recorded_of(key: str) -> Any:
    return RECORDED.runs[AGENT][key]


@pytest.fixture(scope="module")
def python() -> Iterator[Python]:
    with readable_python() as found:
        yield found


@pytest.fixture
def allowed(settings: Any, python: Python, monkeypatch: pytest.MonkeyPatch) -> None:
    """The administrator allows code, and Python is installed where every user can read it."""
    settings.RUN_CODE = True
    monkeypatch.setattr(sys, "_base_executable", python.executable)
    monkeypatch.setattr(sys, "base_prefix", python.prefix)


@pytest.fixture
def demo(db: None, lea: User) -> Benchmark:
    """Samples of the demo on which the agent cuts, cuts again out of the result, and enhances; led by Lea."""
    made = create_benchmark(actor=None, slug="demo", title="Demo")
    add_member(actor=None, benchmark=made, user=lea, role=Role.LEAD)
    read = [one for one in IMPORTERS["native"].read(DEMO, ReadOptions()) if isinstance(one, SampleRecord)]
    records = [one for one in read if one.id in KEYS]
    pictures = {name: (DEMO / name).read_bytes() for one in records if (name := one.image)}
    found = store_pictures(actor=None, benchmark=made, records=records, folder=DEMO, embedded=pictures)
    save_samples(actor=None, benchmark=made, records=records, pictures=found)
    Image.objects.update(state=Image.State.READY)
    return made


def ran(benchmark: Benchmark, lea: User, url: str, **choices: Any) -> Experiment:
    values = {"preset": "stand-in", "base_url": url, "model": AGENT}
    endpoint = add_endpoint(actor=lea, benchmark=benchmark, name="local", values=values)
    given = Choices("code", dialect="thyme", **choices)
    experiment = create_experiment(actor=lea, benchmark=benchmark, endpoint=endpoint, choices=given)
    start_all(actor=lea, experiment=experiment)
    run_waiting()
    experiment.refresh_from_db()
    return experiment


def shown_by(trajectory: Trajectory) -> list[Any]:
    """What the crops of a trajectory show, in pixels of the original."""
    width, height = next(known.size for known in RECORDED.samples if known.id == trajectory.sample.key)
    made = {"original": ZoomImage((width, height), (0, 0, width, height))}
    for step in trajectory.steps.filter(x1__isnull=False):
        region = made[step.image_in].to_original((step.x1, step.y1, step.x2, step.y2))
        made[step.image_out] = ZoomImage((step.out_width, step.out_height), region)
    return [image.region for name, image in made.items() if name != "original"]


def regions(key: str) -> list[Any]:
    """What the recorded agent cut out, in pixels of the original."""
    size = next(known.size for known in RECORDED.samples if known.id == key)
    return [move.region for move in recorded_moves(recorded_of(key), size) if move.region]


def test_the_run_of_an_agent_that_writes_code_equals_its_recorded_run(
    allowed: None, demo: Benchmark, lea: User
) -> None:
    with StandIn(RECORDED) as running:
        experiment = ran(demo, lea, running.base_url)
    assert (experiment.state, experiment.attempts.all().counted()) == ("done", {"done": len(KEYS)})
    for trajectory in Trajectory.objects.select_related("sample"):
        row = recorded_of(trajectory.sample.key)
        assert (trajectory.answer, trajectory.error) == (row["answer"], "")
        found, wanted = shown_by(trajectory), regions(trajectory.sample.key)
        assert len(found) == len(wanted) > 1
        for got, want in zip(found, wanted, strict=True):
            assert got == pytest.approx(want, abs=2)
        assert all(step.ok for step in trajectory.steps.all())
