"""Active time: reports of pages become sessions, and no report adds more than the time that passed."""

from __future__ import annotations

import json
from datetime import timedelta
from time import monotonic

import pytest
from django.db.models import F
from django.urls import reverse

from annotation.models import WorkClock, WorkSession
from annotation.queue.work_time import Role, TimeReport, record_time
from tests.annotation.work_data import content, next_review, submitted, take_one, to_annotate
from tests.conftest import signed_in
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput, NotAllowed

pytestmark = pytest.mark.django_db


def pass_seconds(seconds: float) -> None:
    """As if so much time had passed: everything recorded is so much older."""
    earlier = timedelta(seconds=seconds)
    WorkSession.objects.update(started=F("started") - earlier, ended=F("ended") - earlier)
    for clock in WorkClock.objects.all():
        clock.counted = [[a - seconds, b - seconds] for a, b in clock.counted]
        clock.save()


def report(user, sample, *ago, page="one", role=Role.ANNOTATE) -> float:
    return record_time(actor=user, sample=sample, role=role, report=TimeReport(page, list(ago)))


def recorded(user) -> float:
    return sum(WorkSession.objects.filter(person=user).values_list("active_seconds", flat=True))


def test_activity_since_the_page_was_opened_is_recorded(ana):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    report(ana, sample)
    pass_seconds(100)
    assert report(ana, sample, (95, 65), (20, 0)) == pytest.approx(50, abs=0.2)
    session = WorkSession.objects.get()
    assert (session.sample, session.role, session.active_seconds) == (sample, "annotate", pytest.approx(50, abs=0.2))
    assert (session.ended - session.started).total_seconds() == pytest.approx(100, abs=2)


def test_a_forged_report_adds_at_most_the_elapsed_time_and_two_seconds(ana):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    begun = monotonic()
    report(ana, sample, (1e9, 0))
    pass_seconds(60)
    report(ana, sample, (1e9, -1e9))
    for number in range(20):
        report(ana, sample, (1e9, -1e9), page=f"forged{number}")
    assert recorded(ana) <= 60 + 2 + monotonic() - begun


def test_two_open_pages_count_once(ana):
    benchmark = to_annotate(2, annotator=ana)
    first = take_one(ana, benchmark)
    report(ana, first, page="one")
    report(ana, first, page="two")
    pass_seconds(40)
    assert report(ana, first, (40, 10), page="one") == pytest.approx(30, abs=0.2)
    assert report(ana, first, (30, 0), page="two") == pytest.approx(10, abs=0.2)
    assert recorded(ana) == pytest.approx(40, abs=0.2)


def test_the_time_of_one_person_is_not_that_of_another(ana, rui):
    sample = take_one(ana, to_annotate(1, annotator=ana, reviewer=rui))
    report(ana, sample)
    report(rui, sample, role=Role.REVIEW)
    pass_seconds(10)
    assert report(ana, sample, (10, 0)) == report(rui, sample, (10, 0), role=Role.REVIEW) == pytest.approx(10, abs=0.2)


def test_a_page_open_over_midnight_has_a_session_on_each_day(ana):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    report(ana, sample)
    WorkSession.objects.update(day=F("day") - timedelta(days=1))
    pass_seconds(30)
    report(ana, sample, (30, 0))
    assert WorkSession.objects.count() == 2
    assert WorkSession.objects.latest("day").active_seconds == pytest.approx(30, abs=0.2)


def test_a_page_belongs_to_one_sample(ana):
    benchmark = to_annotate(2, annotator=ana)
    first = take_one(ana, benchmark)
    report(ana, first)
    with pytest.raises(InvalidInput):
        report(ana, benchmark.samples.exclude(pk=first.pk).get())


def test_an_author_has_no_review_time_on_their_own_sample(ana):
    sample = submitted(ana, to_annotate(1, annotator=ana, reviewer=ana))
    with pytest.raises(NotAllowed):
        report(ana, sample, role=Role.REVIEW)


def send(client, route, sample, data):
    address = reverse(f"annotation:{route}", args=[sample.benchmark.slug, sample.key])
    return client.post(address, data if isinstance(data, str) else json.dumps(data), content_type="application/json")


def test_time_travels_with_a_draft(ana):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    client = signed_in(ana)
    assert send(client, "annotate-time", sample, {"page": "abc"}).status_code == 200
    pass_seconds(10)
    body = {"version": 0, "content": content(), "time": {"page": "abc", "spans": [[8, 1]]}}
    assert send(client, "draft", sample, body).status_code == 200
    assert recorded(ana) == pytest.approx(7, abs=0.2)


def test_a_page_that_is_left_sends_a_form(ana):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    client = signed_in(ana)
    send(client, "annotate-time", sample, {"page": "abc"})
    pass_seconds(10)
    address = reverse("annotation:annotate-time", args=[sample.benchmark.slug, sample.key])
    assert client.post(address, {"report": '{"page": "abc", "spans": [[8, 1]]}'}).status_code == 200
    assert recorded(ana) == pytest.approx(7, abs=0.2)


@pytest.mark.parametrize(("route", "role"), [("review-time", "review"), ("adjudication-time", "adjudicate")])
def test_reviewing_and_adjudicating_are_roles_of_their_own(ana, rui, route, role):
    benchmark = to_annotate(1, annotator=ana, reviewer=rui)
    submitted(ana, benchmark)
    assert send(signed_in(rui), route, next_review(rui, benchmark), {"page": "abc"}).status_code == 200
    assert WorkSession.objects.get().role == role


@pytest.mark.parametrize(
    "sent",
    [
        "no JSON", "[]", {}, {"page": ""}, {"page": "a b"}, {"page": "a" * 33}, {"page": 3},
        {"page": "a", "spans": 3}, {"page": "a", "spans": [[1]]}, {"page": "a", "spans": [[1, "2"]]},
        {"page": "a", "spans": [[True, 1]]}, {"page": "a", "spans": [[2, 1]] * 1001},
        '{"page": "a", "spans": [[1e999, 0]]}',
    ],
)  # fmt: skip
def test_a_report_of_another_form_is_refused(ana, sent):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    answer = send(signed_in(ana), "annotate-time", sample, sent)
    assert (answer.status_code, WorkSession.objects.count()) == (400, 0)


def test_nobody_reports_time_on_samples_of_others(ana, sam):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    assert send(signed_in(sam), "annotate-time", sample, {"page": "abc"}).status_code == 404
    assert User.objects.get(pk=sam.pk).work_sessions.count() == 0
