"""The protocol ``code``: the stand-in writes Python, which the job of the experiment runs in the sandbox."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.samples import save_samples
from annotation.images.store import store_pictures
from annotation.importers import IMPORTERS
from annotation.importers.interface import ReadOptions
from annotation.models import Benchmark, Image
from annotation.schema import SampleRecord
from annotation.workflow import Role
from evaluation.execution.cells import _log_limits
from evaluation.experiments.write.create import Choices, create_experiment
from evaluation.experiments.write.endpoints import add_endpoint
from evaluation.experiments.write.states import resume, start_all
from evaluation.models import Endpoint, Experiment, Trajectory
from evaluation.runner.dialects.zoom import ZoomImage
from evaluation.sandbox import Python, groups
from evaluation.stand_in.moves import recorded_moves
from evaluation.stand_in.recorded import DEMO
from evaluation.stand_in.server import StandIn
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import serving, spoken
from tests.evaluation.sandbox.interpreters import readable_python
from tests.evaluation.stand_in.attempts import RECORDED
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.one_database

API = "/api/v1/benchmarks/kitchen"
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


def run_code(benchmark: Benchmark, endpoint: Endpoint, lea: User, **choices: Any) -> Experiment:
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


@pytest.mark.endurance
@pytest.mark.slow
def test_the_run_of_an_agent_that_writes_code_equals_its_recorded_run(
    allowed: None, demo: Benchmark, lea: User
) -> None:
    with StandIn(RECORDED) as running:
        values = {"preset": "stand-in", "base_url": running.base_url, "model": AGENT}
        endpoint = add_endpoint(actor=lea, benchmark=demo, name="local", values=values)
        experiment = run_code(demo, endpoint, lea)
    assert (experiment.state, experiment.attempts.all().counted()) == ("done", {"done": len(KEYS)})
    for trajectory in Trajectory.objects.select_related("sample"):
        row = recorded_of(trajectory.sample.key)
        assert (trajectory.answer, trajectory.error) == (row["answer"], "")
        found, wanted = shown_by(trajectory), regions(trajectory.sample.key)
        assert len(found) == len(wanted) > 1
        for got, want in zip(found, wanted, strict=True):
            assert got == pytest.approx(want, abs=2)
        assert all(step.ok for step in trajectory.steps.all())


@pytest.mark.endurance
def test_a_crop_whose_place_only_the_run_knows_is_found_in_the_image(
    allowed: None, benchmark: Benchmark, endpoint_at: Any, lea: User
) -> None:
    """The corner is computed, and the second cell uses what the first one left."""
    first = "<code>\nimg = cv2.imread('/in/image.png')\nx = int(img[0, 0, 0]) // 300 + 70\nprint(img.shape)\n</code>"
    second = "<code>\ncv2.imwrite('/out/part.png', img[30:90, x:x + 80])\n</code>"
    with serving(spoken(first), spoken(second), spoken("<answer>2</answer>")) as server:
        experiment = run_code(benchmark, endpoint_at(server.url), lea, samples="id=one")
        output = server.seen.bodies()[1]["messages"][-1]["content"]
        shown = server.seen.bodies()[2]["messages"][-1]["content"]
    assert experiment.attempts.all().counted() == {"done": 1}
    assert "(120, 160, 3)" in str(output)
    assert [part["type"] for part in shown] == ["text", "image_url", "text"]
    [crop] = Trajectory.objects.get().steps.filter(tool="crop")
    assert (crop.x1, crop.y1, crop.x2, crop.y2, crop.image_in) == (70, 30, 150, 90, "original")
    assert crop.extra["inferred"] is True


@pytest.mark.endurance
def test_the_model_is_told_that_its_cell_was_stopped(
    allowed: None, benchmark: Benchmark, endpoint_at: Any, lea: User
) -> None:
    ended = "<code>\nimport os\nos._exit(3)\n</code>"
    with serving(spoken(ended), spoken("<answer>2</answer>")) as server:
        run_code(benchmark, endpoint_at(server.url), lea, samples="id=one")
        told = str(server.seen.bodies()[1]["messages"][-1]["content"])
    assert "The process ended with code 3." in told
    assert "Variables and files of earlier cells are gone." in told
    [step] = Trajectory.objects.get().steps.all()
    assert (step.tool, step.ok) == ("code", False)


def test_code_is_refused_with_the_reason_on_the_page_in_the_api_and_by_the_command(
    benchmark: Benchmark, endpoint_at: Any, lea: User
) -> None:
    endpoint, client = endpoint_at("http://127.0.0.1:9/v1"), signed_in(lea)
    why = "An administrator can allow it with SIGHTLINE_RUN_CODE"
    form = {"endpoint": endpoint.pk, "protocol": "code", "rollouts": 1, "budget_usd": 5, "budget_calls": 9}
    page = client.post("/benchmarks/kitchen/experiments/", {**form, "sampling": "greedy"})
    assert (page.status_code, why in page.content.decode()) == (400, True)
    body = {"endpoint": "local", "protocol": "code"}
    answer = client.post(f"{API}/experiments/", body, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "protocol")
    assert why in answer.json()["error"]["message"]
    with pytest.raises(CommandError, match=why):
        call_command("run", "kitchen", endpoint="local", protocol="code")
    assert not Experiment.objects.exists()


def test_code_is_refused_where_its_user_cannot_start_python(
    settings: Any, benchmark: Benchmark, endpoint_at: Any, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.RUN_CODE = True
    monkeypatch.setattr(sys, "_base_executable", "/nowhere/python3")
    with pytest.raises(InvalidInput, match=r"/nowhere/python3 can't be started .* where every user can read them"):
        run_code(benchmark, endpoint_at("http://127.0.0.1:9/v1"), lea)


def test_code_stops_once_the_administrator_forbids_it(
    allowed: None, settings: Any, benchmark: Benchmark, endpoint_at: Any, lea: User
) -> None:
    """Neither a job that waits nor a paused experiment goes on."""
    with serving(spoken("<answer>2</answer>")) as server:
        endpoint = endpoint_at(server.url)
        experiment = create_experiment(
            actor=lea, benchmark=benchmark, endpoint=endpoint, choices=Choices("code", dialect="thyme")
        )
        start_all(actor=lea, experiment=experiment)
        settings.RUN_CODE = False
        run_waiting()
        assert not server.seen.requests
        experiment.refresh_from_db()
        assert (experiment.state, "SIGHTLINE_RUN_CODE" in experiment.pause_note) == ("paused", True)
        with pytest.raises(Conflict, match="SIGHTLINE_RUN_CODE"):
            resume(actor=lea, experiment=experiment)


@pytest.mark.endurance
def test_the_log_states_once_which_limits_hold(
    allowed: None, benchmark: Benchmark, endpoint_at: Any, lea: User, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(groups, "handed_over", lambda: None)
    _log_limits.cache_clear()
    cell = "<code>\nprint(1)\n</code>"
    with caplog.at_level("INFO"), serving(spoken(cell), spoken(cell), spoken("<answer>2</answer>")) as server:
        run_code(benchmark, endpoint_at(server.url), lea, samples="id=one")
    said = [record.getMessage() for record in caplog.records if "Code of models" in record.getMessage()]
    assert len(said) == 1
    assert said[0].endswith("Its memory and threads are limited by limits of each process only.")
