"""An experiment whose worker is killed with kill -9 again and again, on an endpoint that fails in every way: nothing is
lost, nothing is counted twice, and only what was in flight is sent again.

With ``WHOLE_DEMO=1``: all samples of the demo, two rollouts, 20 kills, as a person would run it.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from shutil import copy

import pytest
from django.db.models import Count

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.exchange.write.samples import import_samples
from annotation.models import Benchmark, Image, ImportRecord
from evaluation.experiments.write.create import Choices, create_experiment
from evaluation.experiments.write.endpoints import add_endpoint
from evaluation.experiments.write.prompts import create_prompt
from evaluation.experiments.write.states import resume, start_all
from evaluation.models import Attempt, Exchange, Experiment, Trajectory
from evaluation.runner.templates import load_prompt
from evaluation.stand_in.faults import FAULTS
from evaluation.stand_in.recorded import DEMO, Recorded
from evaluation.stand_in.server import Options, StandIn
from tests.jobs.conftest import (  # noqa: F401  fixtures
    Start,
    database_address,
    lease_seconds,
    start_worker,
    store_of_workers,
    wait_until,
    worker_home,
)
from webapp.common.errors import Conflict
from webapp.jobs.models import Job

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

WHOLE = os.environ.get("WHOLE_DEMO") == "1"
SAMPLES, ROLLOUTS, KILLS = (62, 2, 20) if WHOLE else (12, 2, 6)
QUICK = [fault for name, fault in FAULTS.items() if WHOLE or name not in ("silence", "slow", "huge")]
"""Faults: of the whole run all, else those that do not take minutes."""
PATIENCE = 3600 if WHOLE else 300
IN_FLIGHT = int(os.environ.get("IN_FLIGHT", "4"))
"""Requests in flight at most: what a kill costs."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The first samples of the demo, with their images."""
    lines = (DEMO / "samples.jsonl").read_text(encoding="utf-8").splitlines()[:SAMPLES]
    (tmp_path / "samples.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for image in {str(json.loads(line)["image"]) for line in lines}:
        copy(DEMO / image, tmp_path / image)
    return tmp_path


def made_of(folder: Path, slug: str, url: str) -> tuple[Benchmark, Choices]:
    benchmark = create_benchmark(actor=None, slug=slug, title=slug)
    import_samples(actor=None, benchmark=benchmark, path=folder, format="native", images=folder)
    Image.objects.update(state=Image.State.READY)
    assert benchmark.samples.count() == SAMPLES
    values = {"preset": "stand-in", "base_url": url, "model": "contrast zoom", "limits": {"in_flight": IN_FLIGHT}}
    add_endpoint(actor=None, benchmark=benchmark, name="stand-in", values=values)
    return benchmark, Choices("interface", rollouts=ROLLOUTS, images="fit:768", budget_calls=100_000)


def started(benchmark: Benchmark, choices: Choices) -> Experiment:
    endpoint = benchmark.endpoints.get()
    experiment = create_experiment(actor=None, benchmark=benchmark, endpoint=endpoint, choices=choices)
    start_all(actor=None, experiment=experiment)
    return experiment


def worked_to_the_end(experiment: Experiment) -> int:
    """Wait until it is done; return how often a person had to resume it, as after a rejected key."""
    resumed, end = 0, time.monotonic() + PATIENCE
    while True:
        experiment.refresh_from_db()
        if experiment.state == "done":
            return resumed
        if experiment.state == "paused":
            assert experiment.pause_reason in ("endpoint", "failed"), experiment.pause_note
            resume(actor=None, experiment=experiment)
            resumed += 1
        assert time.monotonic() < end, (experiment.state, experiment.attempts.all().counted())
        time.sleep(0.1)


@pytest.mark.endurance
def test_kills_lose_nothing_and_send_again_only_what_was_in_flight(
    folder: Path,
    start_worker: Start,  # noqa: F811
    store_of_workers: None,  # noqa: F811
    record_testsuite_property: Callable[[str, object], None],
) -> None:
    recorded, chance = Recorded.read(), random.Random(7)
    options = Options(faults=QUICK, rate=0.1, latency=0.3 if WHOLE else 0.05)
    with StandIn(recorded, options) as quiet:
        worker = start_worker()
        benchmark, choices = made_of(folder, "quiet", quiet.base_url)
        worked_to_the_end(started(benchmark, choices))
        worker.kill()
        needed = quiet.counts.requests
    with StandIn(recorded, options) as server:
        benchmark, choices = made_of(folder, "killed", server.base_url)
        experiment = started(benchmark, choices)
        killed = resumed = 0
        while killed < KILLS:
            seen = server.counts.requests
            worker = start_worker()
            wait_until(lambda seen=seen: server.counts.requests > seen, seconds=120)
            time.sleep(chance.uniform(0, needed / KILLS * 0.02 + 0.3))
            worker.kill()
            killed += 1
            experiment.refresh_from_db()
            if experiment.state == "paused":
                resume(actor=None, experiment=experiment)
                resumed += 1
        assert experiment.state != "done", "the kills came after the work; nothing was tried"
        worker = start_worker()
        resumed += worked_to_the_end(experiment)
        sent = server.counts.requests
        record_testsuite_property("requests", f"{needed} without kills, {sent} with {killed}")
        record_testsuite_property("resumed", resumed)
        check(experiment)
        # A request that is sent again draws its fault again, so that retries differ a little.
        assert sent <= (1.15 * needed if WHOLE else 1.1 * needed + IN_FLIGHT * KILLS), (needed, sent)

        again = started(benchmark, choices)
        worked_to_the_end(again)
        worker.kill()
        repeated = again.attempts.filter(reused_from=None).count()
        failed = experiment.attempts.filter(state="failed").count()
        assert repeated == failed, "only what failed is asked again"
        assert again.calls == 0 if not failed else server.counts.requests > sent
        change_prompt(benchmark, choices)


def check(experiment: Experiment) -> None:
    """Every attempt has one result, and every request of one is counted once."""
    attempts = Attempt.objects.filter(experiment=experiment)
    states = attempts.counted()
    assert sum(states.values()) == SAMPLES * ROLLOUTS
    assert set(states) <= {"done", "failed"}, states
    assert not attempts.filter(state="failed", error_kind="").exists()
    assert attempts.exclude(trajectory=None).values("trajectory").distinct().count() == SAMPLES * ROLLOUTS
    assert Trajectory.objects.filter(run__benchmark=experiment.benchmark_id).count() == SAMPLES * ROLLOUTS
    assert ImportRecord.objects.filter(benchmark=experiment.benchmark_id, kind="runs").count() == 1
    exchanges = Exchange.objects.filter(attempt__experiment=experiment)
    assert not exchanges.filter(state="sent").exists()
    answered = exchanges.filter(state="answered").values("attempt", "request_digest").annotate(n=Count("pk"))
    assert not answered.filter(n__gt=1).exists(), "an answered request was asked again"
    assert experiment.calls >= exchanges.count()
    assert experiment.reserved_usd == pytest.approx(0.0)
    # The experiment is done a moment before the job that did its last attempt.
    wait_until(lambda: not Job.objects.live().filter(payload__experiment_id=experiment.pk).exists(), seconds=30)


def change_prompt(benchmark: Benchmark, choices: Choices) -> None:
    """Another prompt under the same setting is refused."""
    text = load_prompt("strong").text + "\nBe quick."
    create_prompt(actor=None, benchmark=benchmark, slug="quick", role="system", text=text)
    with pytest.raises(Conflict, match="made with another recipe"):
        create_experiment(
            actor=None, benchmark=benchmark, endpoint=benchmark.endpoints.get(),
            choices=Choices("interface", prompt="quick@1", rollouts=ROLLOUTS, images="fit:768"),
        )  # fmt: skip
