"""An experiment whose processes are killed with kill -9 again and again, on an endpoint that fails in every way:
nothing is lost, nothing is counted twice, and only what was in flight is sent again.

All is done by the commands that people use, each a process with the settings of the project. With ``WHOLE_DEMO=1``: all
samples of the demo, and all faults. That takes up to 20 minutes on two busy processors: silent faults wait for their
timeouts, and each of 20 kills starts a process anew.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from shutil import copy

import pytest
import redis
from django.db import connection
from django.db.models import Count

from annotation.models import Benchmark, Image, ImportRecord
from evaluation.experiments.write.prompts import create_prompt
from evaluation.experiments.write.work import NOT_SCORED
from evaluation.models import Attempt, Exchange, Experiment, Trajectory
from evaluation.runner.templates import load_prompt
from evaluation.stand_in.chat import request_digest
from evaluation.stand_in.faults import FAULTS
from evaluation.stand_in.recorded import DEMO, Recorded
from evaluation.stand_in.server import Options, StandIn
from tests.jobs.conftest import database_address, redis_or_skip, wait_until  # noqa: F401  a fixture
from tests.processes import ROOT
from webapp.jobs.models import Job

pytestmark = [pytest.mark.slow, pytest.mark.endurance, pytest.mark.django_db(transaction=True)]

WHOLE = os.environ.get("WHOLE_DEMO") == "1"
SAMPLES, ROLLOUTS, KILLS = (62 if WHOLE else 12), 2, 20
QUICK = [fault for name, fault in FAULTS.items() if WHOLE or name not in ("silence", "slow", "huge")]
"""Faults: of the whole run all, else those that do not take minutes."""
LATENCY = 0.3
PATIENCE = 3600 if WHOLE else 300
IN_FLIGHT = int(os.environ.get("IN_FLIGHT", "4"))
"""Requests in flight at most: what a kill costs."""
RUN = ("--protocol", "interface", "--images", "fit:768", "--budget-calls", "100000", "--rollouts", str(ROLLOUTS))
BROKER = "redis://127.0.0.1:6379/14"
"""Of the tests: the others have another number."""


class Site:
    """The commands of ``manage.py``, on the database of the test and in a home of their own."""

    def __init__(self, home: Path, database: str, broker: str) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SIGHTLINE_")}
        self._environment = {
            **kept, "DJANGO_SETTINGS_MODULE": "webapp.settings", "DATABASE_URL": database, "CELERY_BROKER_URL": broker,
            "SIGHTLINE_HOME": str(home), "SIGHTLINE_JOB_LEASE_SECONDS": "1",
        }  # fmt: skip
        self._log = home / "log"
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            self._started.append(
                subprocess.Popen(
                    [sys.executable, "manage.py", *words], cwd=ROOT, env=self._environment, start_new_session=True,
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                )
            )  # fmt: skip
        return self._started[-1]

    def worker(self) -> subprocess.Popen[bytes]:
        return self.start("worker", "--threads", "2")

    def run(self, *words: str, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *words], cwd=ROOT, env=self._environment, capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    def log(self) -> str:
        return self._log.read_text(errors="replace")[-4000:]

    def end(self) -> None:
        for process in self._started:
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """kill -9, the processes that it started included."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture
def site(database_address: str, tmp_path: Path) -> Iterator[Site]:  # noqa: F811
    postgresql = connection.vendor == "postgresql"
    if postgresql:
        redis_or_skip()
        redis.Redis.from_url(BROKER).flushdb()
    home = tmp_path / "home"
    home.mkdir()
    made = Site(home, database_address, BROKER if postgresql else "memory://")
    yield made
    made.end()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The first samples of the demo, with their images."""
    folder = tmp_path / "samples"
    folder.mkdir()
    lines = (DEMO / "samples.jsonl").read_text(encoding="utf-8").splitlines()[:SAMPLES]
    (folder / "samples.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for image in {str(json.loads(line)["image"]) for line in lines}:
        copy(DEMO / image, folder / image)
    return folder


def make_benchmark(site: Site, folder: Path, slug: str, url: str) -> Benchmark:
    site.run("import_benchmark", slug, str(folder), "--format", "native", "--images", str(folder))
    site.run(
        "endpoint", "add", "stand-in", "--preset", "stand-in", "--base-url", url, "--model", "contrast zoom",
        "--benchmark", slug,
    )  # fmt: skip
    benchmark = Benchmark.objects.get(slug=slug)
    benchmark.endpoints.update(limits={"in_flight": IN_FLIGHT})
    assert benchmark.samples.count() == SAMPLES
    return benchmark


def start_run(site: Site, slug: str) -> Experiment:
    said = site.run("run", slug, "--endpoint", "stand-in", *RUN)
    return Experiment.objects.get(pk=re.search(r"Experiment (\d+)", said)[1])  # type: ignore[index]


def resumed(site: Site, experiment: Experiment) -> int:
    """Resume it if it was paused, as a person has to after a rejected key; return how often."""
    experiment.refresh_from_db()
    if experiment.state != "paused":
        return 0
    assert experiment.pause_reason in ("endpoint", "failed"), experiment.pause_note
    site.run("experiment", "resume", str(experiment.pk))
    return 1


def wait_for_the_end(site: Site, experiment: Experiment) -> int:
    """Wait until it is done; return how often it had to be resumed."""
    count, end = 0, time.monotonic() + PATIENCE
    while True:
        count += resumed(site, experiment)
        if experiment.state == "done":
            return count
        assert time.monotonic() < end, (experiment.state, experiment.attempts.all().counted(), site.log())
        time.sleep(0.1)


def recorded(experiment: Experiment, server: StandIn) -> dict[str, int]:
    """How often each request was asked whose answer is recorded."""
    exchanges = Exchange.objects.filter(attempt__experiment=experiment, state="answered")
    digests = [request_digest(json.loads(bytes(one.request))) for one in exchanges.only("request")]
    found = {digest: server.counts.digests[digest] for digest in digests}
    assert all(found.values()), "the endpoint has not seen a request whose answer is recorded"
    return found


def kill_when(process: subprocess.Popen[bytes], server: StandIn, requests: int, site: Site, one: Experiment) -> int:
    """kill -9 once so many more requests have arrived; return how often the experiment had to be resumed."""
    seen, count, end = server.counts.requests, 0, time.monotonic() + 120
    while server.counts.requests < seen + requests:
        assert process.poll() is None, site.log()
        assert time.monotonic() < end, site.log()
        count += resumed(site, one)
        time.sleep(0.01)
    time.sleep(random.Random(seen).uniform(0, LATENCY))
    kill(process)
    return count


def first_run(site: Site, server: StandIn) -> Experiment:
    """``manage.py run --wait`` works on an experiment and is killed."""
    process = site.start("run", "killed", "--endpoint", "stand-in", *RUN, "--wait")
    found = Experiment.objects.filter(benchmark__slug="killed")
    wait_until(lambda: server.counts.requests > 2 and found.exists(), seconds=60)
    kill(process)
    return found.get()


def test_kills_lose_nothing_and_send_again_only_what_was_in_flight(
    folder: Path, site: Site, record_testsuite_property: Callable[[str, object], None]
) -> None:
    options = Options(faults=QUICK, rate=0.1, latency=LATENCY)
    known, chance = Recorded.read(), random.Random(7)
    with StandIn(known, options) as quiet, StandIn(known, options) as server:
        make_benchmark(site, folder, "quiet", quiet.base_url)
        benchmark = make_benchmark(site, folder, "killed", server.base_url)
        worker = site.worker()
        wait_until(lambda: not Image.objects.exclude(state=Image.State.READY).exists(), seconds=120)
        wait_for_the_end(site, start_run(site, "quiet"))
        kill(worker)
        needed = quiet.counts.requests

        experiment, again = first_run(site, server), 0
        for _ in range(KILLS - 1):
            before = recorded(experiment, server)
            again += kill_when(site.worker(), server, chance.randint(1, needed // KILLS // 3 + 1), site, experiment)
            assert before.items() <= recorded(experiment, server).items(), "what was answered was asked again"
        experiment.refresh_from_db()
        assert experiment.state != "done", "the kills came after the work; nothing was tried"
        before = recorded(experiment, server)
        site.worker()
        again += wait_for_the_end(site, experiment)
        assert before.items() <= recorded(experiment, server).items(), "what was answered was asked again"
        sent = server.counts.requests
        record_testsuite_property("requests", f"{needed} without kills, {sent} with {KILLS}")
        record_testsuite_property("resumed", again)
        check(experiment)
        # A request that is sent again draws its fault again, so that retries differ a little.
        assert sent <= (1.15 * needed if WHOLE else 1.1 * needed + IN_FLIGHT * KILLS), (needed, sent)
        run_again(site, experiment, server)
        change_prompt(site, benchmark)


def run_again(site: Site, experiment: Experiment, server: StandIn) -> None:
    """The same run asks only what has failed."""
    sent = server.counts.requests
    again = start_run(site, "killed")
    wait_for_the_end(site, again)
    failed = experiment.attempts.filter(state="failed").count()
    assert again.attempts.filter(reused_from=None).count() == failed, "only what failed is asked again"
    assert again.calls == 0 if not failed else server.counts.requests > sent


def check(experiment: Experiment) -> None:
    """Every attempt has one result, and every request of one is counted once. An attempt that got no response after all
    its tries has no trajectory; faults are drawn, so there are few of them, if any."""
    attempts = Attempt.objects.filter(experiment=experiment)
    states = attempts.counted()
    assert sum(states.values()) == SAMPLES * ROLLOUTS
    assert set(states) <= {"done", "failed"}, states
    assert not attempts.filter(state="failed", error_kind="").exists()
    without = attempts.filter(trajectory=None)
    assert {(one.state, one.error_kind in NOT_SCORED) for one in without} <= {("failed", True)}
    assert without.count() <= SAMPLES * ROLLOUTS // 12
    kept = SAMPLES * ROLLOUTS - without.count()
    assert attempts.exclude(trajectory=None).values("trajectory").distinct().count() == kept
    assert Trajectory.objects.filter(run__benchmark=experiment.benchmark_id).count() == kept
    assert ImportRecord.objects.filter(benchmark=experiment.benchmark_id, kind="runs").count() == 1
    exchanges = Exchange.objects.filter(attempt__experiment=experiment)
    assert not exchanges.filter(state="sent").exists()
    answered = exchanges.filter(state="answered").values("attempt", "request_digest").annotate(n=Count("pk"))
    assert not answered.filter(n__gt=1).exists(), "an answered request was asked again"
    assert experiment.calls >= exchanges.count()
    assert experiment.reserved_usd == pytest.approx(0.0)
    # The experiment is done a moment before the job that did its last attempt.
    wait_until(lambda: not Job.objects.live().filter(payload__experiment_id=experiment.pk).exists(), seconds=30)


def change_prompt(site: Site, benchmark: Benchmark) -> None:
    """Another prompt under the same setting is refused."""
    text = load_prompt("strong").text + "\nBe quick."
    create_prompt(actor=None, benchmark=benchmark, slug="quick", role="system", text=text)
    said = site.run("run", "killed", "--endpoint", "stand-in", *RUN, "--prompt", "quick@1", status=1)
    assert "made with another recipe" in said
