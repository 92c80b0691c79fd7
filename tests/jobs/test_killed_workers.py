"""A worker that is killed at any moment loses nothing and repeats nothing."""

from __future__ import annotations

import os
import random
import signal
import time
import uuid
from collections.abc import Callable, Iterator

import pytest
import redis
from django.db import connection

from tests import processes
from tests.jobs.conftest import Enqueue
from tests.processes import Process
from webapp.jobs.models import Job, JobLog

REDIS = "redis://127.0.0.1:6379/0"
Start = Callable[[], Process]

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def redis_or_skip() -> redis.Redis:
    client = redis.Redis.from_url(REDIS)
    try:
        client.ping()
    except redis.ConnectionError:
        pytest.skip("no Redis answers at 127.0.0.1:6379")
    return client


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("home"))


@pytest.fixture
def start_worker(database_address: str, home: str) -> Iterator[Start]:
    """Start a worker process on the test database, as the two are run together: on SQLite with the broker in memory,
    on PostgreSQL with Redis. What is left of it is ended with the test."""
    queue = f"tests-{uuid.uuid4().hex}"
    client = redis_or_skip() if connection.vendor == "postgresql" else None
    environment = {
        "DATABASE_URL": database_address,
        "CELERY_BROKER_URL": REDIS if client else "memory://",
        "SIGHTLINE_JOB_LEASE_SECONDS": "1",
        "SIGHTLINE_HOME": home,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }
    started: list[Process] = []

    def start() -> Process:
        started.append(processes.parent(environment).start("-m", "tests.jobs.worker_process", queue))
        return started[-1]

    yield start
    for process in started:
        process.kill()
    if client:
        client.delete(queue)
        client.delete(f"_kombu.binding.{queue}")


def wait_until(true: Callable[[], bool], *, seconds: float = 40) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "the worker did not come so far in time"
        time.sleep(0.02)


def test_killing_workers_at_random_moments_loses_and_repeats_nothing(start_worker: Start, enqueue: Enqueue) -> None:
    jobs = [enqueue("tests.count", to=60, pause=0.01) for _ in range(3)]
    moments = random.Random(7)
    for _ in range(3):
        seen = JobLog.objects.count()
        worker = start_worker()
        wait_until(lambda seen=seen: JobLog.objects.count() > seen)
        time.sleep(moments.uniform(0, 0.4))
        worker.kill()
    assert Job.objects.live().exists(), "the kills came after the work; nothing was tried"
    start_worker()
    wait_until(lambda: not Job.objects.live().exists())
    for job in jobs:
        job.refresh_from_db()
        assert (job.state, job.result) == ("done", {"counted": 60})
        assert list(job.lines.values_list("text", flat=True)) == [str(number) for number in range(60)]


def test_two_worker_processes_run_each_job_once(start_worker: Start, enqueue: Enqueue) -> None:
    jobs = [enqueue("tests.once") for _ in range(20)]
    start_worker()
    start_worker()
    wait_until(lambda: not Job.objects.live().exists())
    assert [list(job.lines.values_list("text", flat=True)) for job in jobs] == [["ran"]] * 20
    assert set(Job.objects.values_list("state", "attempts")) == {("done", 1)}


@pytest.mark.parametrize("send", [os.kill, os.killpg], ids=["to one process", "to all"])
def test_a_worker_that_is_told_to_end_gives_its_jobs_back_soon(
    start_worker: Start, enqueue: Enqueue, send: Callable[[int, int], None]
) -> None:
    """D6.8: also where the job runs in a process of a pool, and whether the first process or all of them hear of it."""
    enqueue("tests.count", to=100_000, pause=0.02)
    worker = start_worker()
    wait_until(JobLog.objects.exists)
    begun = time.monotonic()
    send(worker.pid, signal.SIGTERM)
    worker.wait(20)
    assert time.monotonic() - begun < 10
    job = Job.objects.get()
    assert (job.state, job.vanished, job.sent_at) == ("queued", 0, None), worker.output
    assert job.checkpoint["next"] == JobLog.objects.count()
