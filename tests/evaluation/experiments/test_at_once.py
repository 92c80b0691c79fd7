"""Two experiments with equal attempts at one moment: each attempt is asked once."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from threading import Event, Thread

import pytest
from django.db import connection

from evaluation.experiments.write.states import start_all
from evaluation.models import Attempt, Endpoint, Exchange, Experiment, Trajectory
from tests.evaluation.endpoints.server import Answer, serving, spoken
from tests.evaluation.experiments.conftest import Make
from webapp.accounts.models import User
from webapp.jobs.models import Job
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

EndpointAt = Callable[..., Endpoint]
TWO = spoken("<answer>2</answer>")
NO = Answer(400, json.dumps({"error": {"message": "no"}}).encode())
MOST = 20.0
"""Seconds that anything here takes at most."""


def working() -> Thread:
    """A worker that runs what waits."""

    def work() -> None:
        try:
            run_waiting()
        finally:
            connection.close()

    thread = Thread(target=work)
    thread.start()
    return thread


def until(happened: Callable[[], bool]) -> None:
    end, pause = time.monotonic() + MOST, Event()
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        pause.wait(0.02)


def run_both(first: Experiment, second: Experiment, lea: User, asked: Event, gate: Event) -> None:
    """Run two experiments in two workers. The endpoint answers the first one only after the second one has looked for
    something to do."""
    start_all(actor=lea, experiment=first)
    one = working()
    assert asked.wait(MOST)
    start_all(actor=lea, experiment=second)
    two = working()
    until(lambda: Job.objects.filter(pk=second.job_id, total__gt=0).exists())
    assert Attempt.objects.filter(experiment=second).exclude(state="queued").count() == 0
    gate.set()
    for thread in (one, two):
        thread.join(MOST)
        assert not thread.is_alive()
    first.refresh_from_db()
    second.refresh_from_db()


@pytest.mark.endurance
def test_the_second_waits_for_the_first_and_has_its_results(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    asked, gate = Event(), Event()
    with serving(replace(TWO, before=lambda: (asked.set(), gate.wait(MOST)))) as server:
        endpoint = endpoint_at(server.url)
        first, second = experiment_on(endpoint), experiment_on(endpoint, setting="again")
        run_both(first, second, lea, asked, gate)
        assert len(server.seen.requests) == 2
    assert [first.state, second.state] == ["done", "done"]
    assert set(second.attempts.values_list("reused_from__experiment", flat=True)) == {first.pk}
    assert Trajectory.objects.filter(run__setting="again", answer="<answer>2</answer>").count() == 2


def test_the_second_asks_itself_if_the_first_fails(endpoint_at: EndpointAt, experiment_on: Make, lea: User) -> None:
    asked, gate = Event(), Event()
    refused = replace(NO, before=lambda: (asked.set(), gate.wait(MOST)))
    with serving(refused, refused, TWO) as server:
        endpoint = endpoint_at(server.url)
        first, second = experiment_on(endpoint), experiment_on(endpoint, setting="again")
        run_both(first, second, lea, asked, gate)
        assert len(server.seen.requests) == 4
    assert first.attempts.all().counted() == {"failed": 2}
    assert second.attempts.all().counted() == {"done": 2}
    assert not second.attempts.exclude(reused_from=None).exists()
    assert Exchange.objects.filter(attempt__experiment=second).count() == 2
