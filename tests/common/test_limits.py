"""Counted requests: one limit for all processes, and each person has their own."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from webapp.accounts.models import User
from webapp.common.limits import Rate, asking
from webapp.common.models import RequestCount
from webapp.jobs.sweeper import sweep

pytestmark = pytest.mark.django_db


@pytest.fixture
def processes(settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[Rate]:
    """The same limit in three processes: 40 requests in ten minutes."""
    settings.RATES = {"tests": (40, 600)}
    settings.SEVERAL_PROCESSES = True
    monkeypatch.setattr("webapp.common.limits.time.time", lambda: 1_800_000_100.0)
    made = [Rate("tests") for _ in range(3)]
    for one in made:
        Rate.known.remove(one)
    return made


def test_processes_share_a_limit(processes: list[Rate]) -> None:
    """D3.11: as many requests as one process would take, whichever of them each comes to."""
    taken = [processes[n % 3].over("person 1") == 0 for n in range(120)]
    assert (sum(taken), all(taken[:36])) == (40, True)
    assert processes[0].over("person 1") == pytest.approx(500)
    assert processes[0].over("person 2") == 0
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert all(one.over("person 1") for one in processes)
    assert len(queries) == 0, "who is over the limit costs the database nothing"


def test_a_new_stretch_of_time_begins_anew_and_the_old_is_swept(
    processes: list[Rate], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(50):
        processes[0].over("person 1")
    monkeypatch.setattr("webapp.common.limits.time.time", lambda: 1_800_000_700.0)
    assert [one.over("person 1") for one in processes] == [0, 0, 0]
    assert RequestCount.objects.count() == 2
    sweep(timezone.now() + timedelta(days=36500))
    assert not RequestCount.objects.exists()


def test_one_process_counts_in_its_memory(settings: Any) -> None:
    settings.RATES = {"tests": (3, 600)}
    rate = Rate("tests")
    Rate.known.remove(rate)
    with CaptureQueriesContext(connection) as queries:
        assert [bool(rate.over("person 1")) for _ in range(5)] == [False] * 3 + [True] * 2
    assert len(queries) == 0


def test_a_network_of_ipv6_counts_as_one_and_a_person_wherever_they_are(ana: User) -> None:
    def name(address: str, user: Any) -> str:
        request = RequestFactory(REMOTE_ADDR=address).get("/")
        request.user = user
        return asking(request)

    visitor = AnonymousUser()
    assert name("2001:db8::1", visitor) == name("2001:db8:0:0:ffff::2", visitor) != name("2001:db8:0:1::1", visitor)
    assert name("10.0.0.1", visitor) != name("10.0.0.2", visitor)
    assert name("10.0.0.1", ana) == name("2001:db8::1", ana)
