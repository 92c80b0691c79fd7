"""A worker that is killed at any moment loses nothing and repeats nothing."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable

import pytest

from tests.jobs.conftest import Enqueue, Start, wait_until
from webapp.jobs.models import Job, JobLog

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.mark.endurance
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


@pytest.mark.endurance
def test_two_worker_processes_run_each_job_once(start_worker: Start, enqueue: Enqueue) -> None:
    jobs = [enqueue("tests.once") for _ in range(20)]
    start_worker()
    start_worker()
    wait_until(lambda: not Job.objects.live().exists())
    assert [list(job.lines.values_list("text", flat=True)) for job in jobs] == [["ran"]] * 20
    assert set(Job.objects.values_list("state", "attempts")) == {("done", 1)}


@pytest.mark.endurance
def test_killing_workers_in_the_middle_of_parts_loses_and_repeats_none(start_worker: Start, enqueue: Enqueue) -> None:
    job = enqueue("tests.parts", of=60, pause=0.02)
    moments = random.Random(11)
    for _ in range(3):
        ended = Job.objects.get(pk=job.pk).done
        worker = start_worker()
        wait_until(lambda ended=ended: Job.objects.get(pk=job.pk).done > ended)
        time.sleep(moments.uniform(0, 0.3))
        worker.kill()
    assert Job.objects.live().filter(parent=job).exists(), "the kills came after the work; nothing was tried"
    start_worker()
    start_worker()
    wait_until(lambda: not Job.objects.live().exists())
    job.refresh_from_db()
    assert (job.state, job.done, job.result) == ("done", 60, {"numbers": list(range(60))})
    lines = list(job.lines.values_list("text", flat=True))
    assert sorted(lines[:-1]) == sorted(f"part {number}: ran" for number in range(60))
    assert lines[-1] == "all parts have ended"


@pytest.mark.endurance
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
