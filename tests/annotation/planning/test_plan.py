"""Work packages: what is left of them, when that will be done, and whom to remind."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.forecast import FEWEST, Forecast, NoForecast
from annotation.models import WorkPackage, WorkSession
from annotation.planning.present.plan import plan_of
from annotation.planning.read.packages import packages_of
from annotation.planning.write.packages import remove_package, save_package, send_reminders
from annotation.queue.settings import set_queue
from tests.annotation.work_data import drafted, next_review, reviewed, submitted, take_one, to_annotate
from tests.conftest import signed_in
from tests.factories import make_token
from tests.worlds import made_once
from webapp.common.errors import InvalidInput, NotAllowed
from webapp.common.models import AuditEntry
from webapp.notifications.models import Notification

pytestmark = pytest.mark.django_db


@made_once
def kitchen(ana, rui, lea):
    return to_annotate(8, annotator=ana, reviewer=rui, lead=lea)


def in_hours(hours: float) -> datetime:
    return timezone.now() + timedelta(hours=hours)


def package(lead, benchmark, **changes):
    values = {"title": "First half", "query": "", "people": [], "due_at": in_hours(100), "priority": 0} | changes
    return save_package(actor=lead, benchmark=benchmark, **values)


def only_status(benchmark):
    (status,) = packages_of(benchmark)
    return status


def worked(person, sample, seconds, *, days_ago=1, role="annotate"):
    at = timezone.now() - timedelta(days=days_ago)
    WorkSession.objects.create(
        person=person, sample=sample, role=role, page=f"{sample.pk}x{days_ago}", day=at.date(), started=at, ended=at,
        active_seconds=seconds,
    )  # fmt: skip


def test_a_package_counts_what_is_left_of_its_samples(ana, rui, lea, kitchen):
    five = "&".join(f"id=s-000{number}" for number in range(5))
    assert package(lea, kitchen, query=f"?{five}&state=to_do").query == five
    submitted(ana, kitchen)
    reviewed(rui, next_review(rui, kitchen), "accept")
    submitted(ana, kitchen)
    drafted(ana, kitchen)
    status = only_status(kitchen)
    assert (status.samples, status.settled, status.left, status.is_done) == (5, 1, 3, False)


def test_with_overlap_every_missing_annotation_is_left(ana, bo, lea, kitchen):
    kitchen.memberships.create(user=bo, role="annotator")
    set_queue(actor=lea, benchmark=kitchen, order="sequential", overlap=2)
    package(lea, kitchen)
    kitchen.refresh_from_db()
    assert only_status(kitchen).left == 16
    submitted(ana, kitchen)
    assert only_status(kitchen).left == 15
    submitted(bo, kitchen)
    assert only_status(kitchen).left == 14


def test_the_samples_of_a_package_get_its_priority_and_keep_it_when_it_is_removed(ana, lea, kitchen):
    one = package(lea, kitchen, query="id=s-0006&id=s-0007", priority=8)
    assert set(kitchen.samples.filter(priority=8).values_list("key", flat=True)) == {"s-0006", "s-0007"}
    assert take_one(ana, kitchen).key == "s-0006"
    remove_package(actor=lea, package=one)
    assert kitchen.samples.filter(priority=8).count() == 2
    actions = AuditEntry.objects.filter(action__startswith="package.").values_list("action", flat=True)
    assert sorted(actions) == ["package.create", "package.remove"]


def test_a_new_title_leaves_the_priorities_of_samples(lea, kitchen):
    package(lea, kitchen, query="id=s-0006", priority=8)
    every = package(lea, kitchen, title="All")
    package(lea, kitchen, package=every, title="Everything")
    assert kitchen.samples.filter(priority=8).count() == 1
    package(lea, kitchen, package=every, title="Everything", priority=2)
    assert kitchen.samples.filter(priority=2).count() == 8


def test_without_recorded_time_there_is_no_forecast_and_the_page_says_so(lea, kitchen):
    package(lea, kitchen)
    assert only_status(kitchen).forecast is NoForecast.FEW_SAMPLES
    page = signed_in(lea).get(reverse("annotation:work-plan", args=["kitchen"]))
    assert page.context["plan"].bars[0].range is None
    assert page.context["plan"].bars[0].why


def test_the_forecast_comes_from_submitted_samples_and_the_hours_of_the_people(ana, bo, lea, kitchen):
    kitchen.memberships.create(user=bo, role="annotator")
    package(lea, kitchen, people=[ana])
    for _ in range(FEWEST):
        worked(ana, submitted(ana, kitchen), 1800)
    for sample in kitchen.samples.filter(state="to_do"):
        worked(bo, sample, 999_999, days_ago=2)
    found = only_status(kitchen).forecast
    assert isinstance(found, Forecast)
    # Three samples of half an hour are left, and Ana worked two and a half hours a day.
    assert found.hours == pytest.approx(1.5)
    assert found.late == timezone.now().date()


def test_time_of_unfinished_samples_and_of_reviews_says_nothing(ana, rui, lea, kitchen):
    package(lea, kitchen)
    sample = submitted(ana, kitchen)
    for one in kitchen.samples.all():
        worked(rui, one, 60, role="review")
        if one.pk != sample.pk:
            worked(ana, one, 60)
    assert only_status(kitchen).forecast is NoForecast.FEW_SAMPLES


def test_overdue_work_is_marked_and_stays(ana, lea, kitchen):
    sample = take_one(ana, kitchen)
    package(lea, kitchen, due_at=in_hours(-30))
    (bar,) = plan_of(kitchen).bars
    assert bar.is_overdue
    assert take_one(ana, kitchen) == sample
    assert b"Overdue" in signed_in(lea).get(reverse("annotation:work-plan", args=["kitchen"])).content


def test_people_are_reminded_48_and_4_hours_before_and_once(ana, lea, kitchen):
    soon, later = package(lea, kitchen, due_at=in_hours(3), title="Soon"), package(lea, kitchen, due_at=in_hours(47))
    package(lea, kitchen, due_at=in_hours(49), title="Far")
    package(lea, kitchen, due_at=in_hours(-1), title="Over")
    found = [(one.package.pk, one.hours, set(one.people)) for one in send_reminders(timezone.now())]
    everyone = {ana.pk, lea.pk}
    assert found == [(soon.pk, 4, everyone), (later.pk, 48, everyone)]
    sent = Notification.objects.filter(kind="deadline", person=ana)
    assert sorted(one.data["hours"] for one in sent) == [3, 47]
    assert send_reminders(timezone.now()) == []
    WorkPackage.objects.filter(pk=later.pk).update(due_at=in_hours(3.9))
    assert [(one.package.pk, one.hours) for one in send_reminders(timezone.now())] == [(later.pk, 4)]
    assert send_reminders(timezone.now()) == []


def test_a_new_date_is_a_reason_to_remind_again_and_a_finished_package_is_none(ana, lea):
    benchmark = to_annotate(1, annotator=ana, lead=lea)
    one = package(lea, benchmark, due_at=in_hours(3), people=[ana])
    assert [found.people for found in send_reminders(timezone.now())] == [[ana.pk]]
    package(lea, benchmark, package=one, due_at=in_hours(40), people=[ana])
    assert [found.hours for found in send_reminders(timezone.now())] == [48]
    package(lea, benchmark, package=one, due_at=in_hours(2), people=[ana])
    submitted(ana, benchmark)
    assert send_reminders(timezone.now()) == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"priority": 10}, "priority"),
        ({"query": "id=none"}, "query"),
        ({"query": "q=" + "x" * 1990 + "&id=y"}, "query"),
    ],
)
def test_a_package_that_makes_no_sense_is_refused(lea, kitchen, changes, field):
    with pytest.raises(InvalidInput) as caught:
        package(lea, kitchen, **changes)
    assert caught.value.field == field
    assert not WorkPackage.objects.exists()


def test_only_leads_plan_and_only_annotators_are_expected_to_do_it(ana, rui, lea, kitchen):
    with pytest.raises(NotAllowed):
        package(ana, kitchen)
    with pytest.raises(InvalidInput):
        package(lea, kitchen, people=[rui])


def test_the_page_asks_as_often_for_one_package_as_for_six(lea, kitchen):
    client, address = signed_in(lea), reverse("annotation:work-plan", args=["kitchen"])
    package(lea, kitchen)
    client.get(address)
    with CaptureQueriesContext(connection) as one:
        client.get(address)
    for number in range(5):
        package(lea, kitchen, query=f"id=s-000{number}&q=s", title=f"P{number}")
    with CaptureQueriesContext(connection) as six:
        client.get(address)
    assert len(six) == len(one) <= 25


def test_a_lead_makes_and_changes_a_package_in_the_browser(ana, lea, kitchen):
    client, address = signed_in(lea), reverse("annotation:work-plan", args=["kitchen"])
    sent = {"title": "Pilot", "query": "id=s-0001", "people": [ana.pk], "due_at": "2026-12-24T18:00", "priority": "3"}
    assert client.post(address, sent).status_code == 302
    made = WorkPackage.objects.get()
    assert (made.due_at, list(made.people.all())) == (datetime(2026, 12, 24, 18, tzinfo=UTC), [ana])
    page = client.get(reverse("annotation:work-package", args=["kitchen", made.pk]))
    assert b'value="2026-12-24T18:00"' in page.content
    answer = client.post(reverse("annotation:work-package", args=["kitchen", made.pk]), sent | {"title": ""})
    assert (answer.status_code, WorkPackage.objects.get().title) == (400, "Pilot")
    client.post(reverse("annotation:work-package-remove", args=["kitchen", made.pk]))
    assert not WorkPackage.objects.exists()


def test_packages_over_the_api(client, ana, lea, sam, kitchen):
    headers = {"Authorization": f"Bearer {make_token(lea)}"}
    address = reverse("api-packages", args=["kitchen"])

    def send(**data):
        return client.post(address, json.dumps(data), content_type="application/json", headers=headers)

    answer = send(title="Pilot", due_at="2026-12-24T18:00:00Z", people=[ana.email.upper()])
    assert (answer.status_code, answer.json()["left"], answer.json()["people"]) == (201, 8, [ana.email])
    assert answer.json()["forecast"] == {
        "early": None, "middle": None, "late": None, "hours": None, "reason": "few_samples"
    }  # fmt: skip
    assert [one["title"] for one in client.get(address, headers=headers).json()["results"]] == ["Pilot"]
    addresses = ("x@example.org", sam.email)
    refused = [send(title="Pilot", due_at="2026-12-24T18:00:00Z", people=[one]) for one in addresses]
    assert [one.status_code for one in refused] == [400, 400]
    said = [one.json()["error"]["message"].replace(name, "") for one, name in zip(refused, addresses, strict=True)]
    assert said[0] == said[1], "whether a stranger has an account is not said"
