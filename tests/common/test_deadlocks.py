"""PostgreSQL undoes one of two changes that wait for each other: its person reads that and can repeat it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from annotation.models import Benchmark, Sample
from annotation.queue.priority import set_priority
from tests.annotation.work_data import to_annotate
from tests.conftest import signed_in
from tests.factories import make_token
from webapp.accounts.models import User
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.context import JobContext
from webapp.jobs.registry import KINDS, Kind
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
WORDS = "Two people changed the same thing at once, and your change was not saved. Try again in 5 s."


@pytest.fixture
def kitchen(lea: User) -> Benchmark:
    return to_annotate(2, lead=lea)


@contextmanager
def other_order(benchmark: Benchmark) -> Iterator[None]:
    """Another transaction has the second sample, and wants the first one as soon as what is written inside waits for
    the second. It is more patient, so that PostgreSQL undoes the other."""
    first, second = benchmark.samples.order_by("pk")
    begun = Event()

    def lock(sample: Sample) -> None:
        assert Sample.objects.select_for_update(no_key=True).filter(pk=sample.pk).first()

    def work() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL deadlock_timeout = '1min'")
            lock(second)
            begun.set()
            waits = False
            while not waits:
                cursor.execute("SELECT count(*) FROM pg_locks WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))")
                waits = bool(cursor.fetchone()[0])
            lock(first)
        connection.close()

    thread = Thread(target=work)
    thread.start()
    begun.wait()
    yield
    thread.join()


def page(lea: User, benchmark: Benchmark) -> Callable[[], Any]:
    client = signed_in(lea)
    given = {"id": list(benchmark.samples.values_list("key", flat=True)), "priority-priority": 5, "key": "k"}
    return lambda: client.post(reverse("annotation:work-act", args=[benchmark.slug, "priority"]), given)


def api(lea: User, benchmark: Benchmark) -> Callable[[], Any]:
    given = {"ids": list(benchmark.samples.values_list("key", flat=True)), "priority": 5}
    client = Client(headers={"Authorization": f"Bearer {make_token(lea)}"})
    return lambda: client.post(reverse("api-priorities", args=[benchmark.slug]), given, content_type="application/json")


@pytest.mark.parametrize("way", [page, api])
def test_a_change_that_meets_another_is_refused_whole_and_can_be_repeated(
    lea: User, kitchen: Benchmark, way: Callable[[User, Benchmark], Callable[[], Any]]
) -> None:
    ask = way(lea, kitchen)
    with other_order(kitchen):
        answer = ask()
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert WORDS in (answer.text if way is page else answer.json()["error"]["message"])
    assert not kitchen.samples.filter(priority=5).exists()
    assert ask().status_code in (200, 302)
    assert kitchen.samples.filter(priority=5).count() == 2


def test_a_job_that_meets_a_change_is_tried_again(
    lea: User, kitchen: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    def body(context: JobContext) -> None:
        with transaction.atomic():
            set_priority(lea, kitchen, kitchen.samples.all(), 5)

    monkeypatch.setitem(KINDS, "tests.meets", Kind("tests.meets", "Meet", body))
    job = enqueue_on_commit("tests.meets", payload={}, actor=None)
    with other_order(kitchen):
        assert run_waiting() == 1
    job.refresh_from_db()
    assert (job.state, job.failures) == ("queued", 1)
    assert "Two people changed the same thing at once" in job.error
    type(job).objects.update(not_before=None)
    assert run_waiting() == 1
    assert kitchen.samples.filter(priority=5).count() == 2
