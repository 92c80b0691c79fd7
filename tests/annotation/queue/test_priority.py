"""Priorities of samples: a higher one is assigned first, by whatever rule the queue has."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.quality.write.checks import add_checks, set_check_rules
from annotation.queue.assignment import next_to_annotate
from annotation.queue.editor import studio_json
from annotation.queue.places import place_for
from annotation.queue.priority import prioritize_samples
from annotation.queue.settings import set_queue
from annotation.studio.write.submit import submit
from tests.annotation.work_data import (
    KEYS,
    assigned,
    content,
    next_review,
    reviewed,
    submitted,
    take_one,
    to_annotate,
)
from tests.conftest import signed_in
from tests.factories import make_token
from tests.worlds import made_once
from webapp.common.errors import InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db


def prioritized(lead, benchmark, priority, *keys):
    samples = benchmark.samples.filter(key__in=keys) if keys else benchmark.samples.all()
    return prioritize_samples(actor=lead, benchmark=benchmark, samples=samples, priority=priority, key=next(KEYS))


def order_of(person, benchmark, count):
    found = []
    for _ in range(count):
        sample = take_one(person, benchmark)
        submit(actor=person, sample=sample, version=0, content=content())
        found.append(sample.key)
    return found


@made_once
def kitchen(ana, lea):
    return to_annotate(5, annotator=ana, lead=lea)


@pytest.mark.parametrize("order", ["sequential", "random", "disputed", "facet"])
def test_a_higher_priority_comes_first_by_every_rule(ana, lea, kitchen, order):
    set_queue(actor=lea, benchmark=kitchen, order=order, **({"facet": "tier"} if order == "facet" else {}))
    prioritized(lea, kitchen, 3, "s-0002", "s-0003")
    prioritized(lea, kitchen, 9, "s-0004")
    found = order_of(ana, kitchen, 5)
    assert found[0] == "s-0004"
    assert set(found[1:3]) == {"s-0002", "s-0003"}
    if order != "random":
        assert found == ["s-0004", "s-0002", "s-0003", "s-0000", "s-0001"]


@pytest.mark.parametrize("order", ["sequential", "disputed"])
def test_reviewers_get_a_higher_priority_first_too(ana, rui, lea, order):
    benchmark = to_annotate(4, annotator=ana, reviewer=rui, lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order=order)
    for _ in range(4):
        submitted(ana, benchmark)
    prioritized(lea, benchmark, 3, "s-0002")
    prioritized(lea, benchmark, 9, "s-0003")
    found = []
    for _ in range(4):
        sample = next_review(rui, benchmark)
        found.append(sample.key)
        assert place_for(rui, sample).number == 1
        reviewed(rui, sample, "accept")
    assert found == ["s-0003", "s-0002", "s-0000", "s-0001"]


def test_what_is_assigned_to_a_person_still_comes_first(ana, lea, kitchen):
    prioritized(lea, kitchen, 9, "s-0004")
    assigned(lea, kitchen, ana, "s-0001")
    assert order_of(ana, kitchen, 2) == ["s-0001", "s-0004"]


def test_a_priority_of_settled_samples_costs_and_changes_nothing(ana, rui, lea):
    benchmark = to_annotate(3, annotator=ana, reviewer=rui, lead=lea)
    submitted(ana, benchmark)
    reviewed(rui, next_review(rui, benchmark), "accept")
    with CaptureQueriesContext(connection) as before:
        take_one(ana, benchmark)
    submit(actor=ana, sample=take_one(ana, benchmark), version=0, content=content())
    prioritized(lea, benchmark, 9, "s-0000")
    with CaptureQueriesContext(connection) as after:
        assert take_one(ana, benchmark).key == "s-0002"
    assert len(after) == len(before)


def test_a_priority_can_be_removed(ana, lea, kitchen):
    prioritized(lea, kitchen, 9, "s-0004")
    prioritized(lea, kitchen, 0, "s-0004")
    assert take_one(ana, kitchen).key == "s-0000"


def test_each_change_is_in_the_log_once(lea, kitchen):
    receipt = prioritized(lea, kitchen, 4, "s-0001", "s-0002")
    assert receipt.answer["done"] == ["s-0001", "s-0002"]
    prioritized(lea, kitchen, 4, "s-0001", "s-0002")
    entries = AuditEntry.objects.filter(action="sample.prioritize")
    assert [(one.before, one.after) for one in entries] == [("0", "4")] * 2


def test_a_priority_is_from_0_to_9_and_set_by_leads(ana, lea, kitchen):
    with pytest.raises(InvalidInput):
        prioritized(lea, kitchen, 10)
    with pytest.raises(NotAllowed):
        prioritized(ana, kitchen, 5)


def test_a_lead_sets_priorities_in_the_list_and_finds_them_there(lea, kitchen):
    client = signed_in(lea)
    address = reverse("annotation:work-act", args=["kitchen", "priority"])
    answer = client.post(address, {"id": ["s-0001"], "priority-priority": "7", "key": "k"}, follow=True)
    assert answer.context["done_keys"] == ["s-0001"]
    listed = client.get(reverse("annotation:work-samples", args=["kitchen"]), {"priority": "1+"})
    assert [row.sample.key for row in listed.context["rows"]] == ["s-0001"]


def test_priorities_are_set_over_the_api(client, lea, kitchen):
    headers = {"Authorization": f"Bearer {make_token(lea)}"}

    def send(data):
        address = reverse("api-priorities", args=["kitchen"])
        return client.post(address, json.dumps(data), content_type="application/json", headers=headers)

    assert send({"ids": ["s-0001", "s-0003"], "priority": 2}).json() == {"priority": 2, "samples": 2}
    assert set(kitchen.samples.filter(priority=2).values_list("key", flat=True)) == {"s-0001", "s-0003"}
    assert send({"ids": ["s-0001", "none"], "priority": 2}).status_code == 400
    assert send({"ids": ["s-0001"], "priority": 10}).status_code == 400


@pytest.mark.endurance
def test_an_annotator_cannot_tell_a_check_from_a_sample_with_a_priority(ana, bo, rui, lea):
    benchmark = to_annotate(12, annotator=bo, reviewer=rui, lead=lea)
    for _ in range(3):
        submitted(bo, benchmark)
        reviewed(rui, next_review(rui, benchmark), "accept")
    benchmark.memberships.create(user=ana, role="annotator")
    checks = list(benchmark.samples.filter(state="accepted").values_list("key", flat=True))
    add_checks(actor=lea, benchmark=benchmark, keys=checks)
    rules = {"box_measure": "iou", "box_least": 0.5, "any_question": False, "pause_after": 3, "pause_below": None}
    set_check_rules(actor=lea, benchmark=benchmark, check_first=2, check_share=0.3, **rules)
    prioritized(lea, benchmark, 9, "s-0010", "s-0011")
    seen = []
    for _ in range(6):
        sample = next_to_annotate(actor=ana, benchmark=benchmark)
        shown = studio_json(ana, sample, {})
        page = signed_in(ana).get(reverse("annotation:annotate-sample", args=["kitchen", sample.key]))
        assert "priority" not in json.dumps(shown)
        assert b"priority" not in page.content.lower().replace(b"fetchpriority", b"")
        seen.append((sample.key, set(shown)))
        submit(actor=ana, sample=sample, version=0, content=content())
    keys = [key for key, _ in seen]
    assert set(keys[:2]) <= set(checks)
    assert [key for key in keys if key not in checks][:2] in (["s-0010", "s-0011"], ["s-0011", "s-0010"])
    assert len({frozenset(names) for _, names in seen}) == 1
