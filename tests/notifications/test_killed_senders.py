"""Workers that are killed while they send lose no event, and a repeat can be recognized."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.db.models.functions import Now

from annotation.common.reports import keep_event
from annotation.models import Benchmark, Webhook, WebhookDelivery
from annotation.outgoing.addresses import LOOPBACK
from annotation.webhooks.write import add_webhook
from tests.annotation.work_data import to_annotate
from tests.evaluation.endpoints.server import Answer, Running, serving
from tests.jobs.conftest import Start, wait_until
from webapp.accounts.models import User

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
SEAL_KEY = "only for these tests: a key of many characters"


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Running]:
    """A server that takes a moment for each message; workers seal and allow as this process does."""
    settings.SEAL_KEY, settings.WEBHOOK_HOSTS = SEAL_KEY, list(LOOPBACK)
    monkeypatch.setenv("SIGHTLINE_SEAL_KEY", SEAL_KEY)
    monkeypatch.setenv("SIGHTLINE_WEBHOOK_HOSTS", ",".join(LOOPBACK))
    with serving(*[Answer(200, before=lambda: time.sleep(0.02))] * 5000) as server:
        yield server


def ids_of(server: Running) -> Counter[str]:
    """How often each message arrived, by its id."""
    heads = ({name.lower(): value for name, value in found.items()} for _, found, _ in list(server.seen.requests))
    return Counter(head["webhook-id"] for head in heads)


def killed(start: Start, server: Running, benchmark: Benchmark, hook: Webhook, *, kills: int, events: int) -> set[str]:
    made: set[str] = set()
    moments = random.Random(5)
    for _ in range(kills):
        made |= {keep_event("freeze", benchmark, [hook], "Frozen.")[0].event for _ in range(events)}
        seen = len(server.seen.requests)
        worker = start()
        wait_until(lambda seen=seen: len(server.seen.requests) > seen)
        time.sleep(moments.uniform(0, 0.1))
        worker.kill()
        # What was being sent is due again at once, and not in half a minute.
        WebhookDelivery.objects.filter(state="waiting").update(not_before=Now())
    assert WebhookDelivery.objects.filter(state="waiting").exists(), "the kills came after the work; nothing was tried"
    start()

    def all_delivered() -> bool:
        waiting = WebhookDelivery.objects.filter(state="waiting")
        waiting.filter(attempts__gt=0).update(not_before=Now())
        return not waiting.exists()

    wait_until(all_delivered, seconds=120)
    assert set(WebhookDelivery.objects.values_list("event", "state")) == {(one, "delivered") for one in made}
    return made


def added(lea: User, server: Running) -> tuple[Benchmark, Webhook]:
    benchmark = to_annotate(1, lead=lea)
    return benchmark, add_webhook(actor=lea, benchmark=benchmark, url=server.url, format="json", kinds=["freeze"])[0]


@pytest.mark.endurance
def test_a_few_kills_lose_no_event(start_worker: Start, receiver: Running, lea: User) -> None:
    benchmark, hook = added(lea, receiver)
    made = killed(start_worker, receiver, benchmark, hook, kills=2, events=30)
    assert set(ids_of(receiver)) == made, "a repeat has the id of its event"


@pytest.mark.endurance
def test_a_hundred_kills_lose_no_event(start_worker: Start, receiver: Running, lea: User) -> None:
    benchmark, hook = added(lea, receiver)
    made = killed(start_worker, receiver, benchmark, hook, kills=100, events=20)
    assert set(ids_of(receiver)) == made, "a repeat has the id of its event"
