"""Time and pay: who sees what, what is counted, and that a closed month never changes."""

from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from openpyxl import load_workbook

from annotation.models import (
    Adjudication,
    AdjudicationRule,
    Annotation,
    CheckAnswer,
    PayLine,
    PayPeriod,
    PayRate,
    Review,
    Revision,
    WorkSession,
)
from annotation.planning.present.pay import month_for
from annotation.planning.read.pay import Role
from annotation.planning.write.pay import close_month, remove_rate, set_currency, set_rate
from annotation.quality.write.checks import add_checks, set_check_rules
from annotation.studio.write.submit import submit
from tests.annotation.work_data import content, next_review, reviewed, submitted, take_one, to_annotate
from tests.conftest import signed_in
from tests.factories import make_token, make_user
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db

OCTOBER = date(2026, 10, 1)
IN_OCTOBER = datetime(2026, 10, 20, 12, tzinfo=UTC)


def made(person, sample, state="submitted", at=IN_OCTOBER, *reviews):
    """An annotation of this person, submitted then, with decisions."""
    annotation = Annotation.objects.create(sample=sample, author=person, state=state)
    revision = Revision.objects.create(
        annotation=annotation, number=1, author=person, answer_type="open", digest="0", submitted_at=at
    )
    for reviewer, decision in reviews:
        review = Review.objects.create(revision=revision, revision_author=person, reviewer=reviewer, decision=decision)
        Review.objects.filter(pk=review.pk).update(created_at=at)
    return annotation


def worked(person, sample, seconds, *, role="annotate", at=IN_OCTOBER):
    WorkSession.objects.create(
        person=person, sample=sample, role=role, page=f"{role}{sample.pk}", day=at.date(), started=at, ended=at,
        active_seconds=seconds,
    )  # fmt: skip


@made_once
def kitchen(ana, rui, lea):
    """In October, Ana submitted four samples: one was accepted, one returned and accepted, two wait. Rui reviewed two
    and adjudicated one."""
    benchmark = to_annotate(8, annotator=ana, reviewer=rui, lead=lea)
    first, second, third, fourth, fifth, *_ = benchmark.samples.order_by("key")
    made(ana, first, "accepted", IN_OCTOBER, (rui, "accept"))
    made(ana, second, "accepted", IN_OCTOBER, (rui, "return"))
    made(ana, third)
    made(ana, fourth)
    rule = AdjudicationRule.objects.create(benchmark=benchmark, number=1)
    Adjudication.objects.create(
        sample=fifth, round=1, rule=rule, outcome="disputed", decision="one", adjudicator=rui, decided_at=IN_OCTOBER
    )
    for sample, seconds in ((first, 60), (second, 120), (third, 300)):
        worked(ana, sample, seconds)
    worked(rui, first, 3600, role="review")
    return benchmark


def lines_of(person, benchmark, month=OCTOBER):
    return {(line.person, line.role): line for line in month_for(person, benchmark, month).lines}


def paid(lead, benchmark, role, per, amount, person=None):
    set_currency(actor=lead, benchmark=benchmark, currency="eur")
    benchmark.refresh_from_db()
    return set_rate(
        actor=lead, benchmark=benchmark, role=role, per=PayRate.Per(per), amount=Decimal(amount), person=person
    )


def test_a_month_counts_the_work_of_each_person_and_role(ana, rui, lea, kitchen):
    lines = lines_of(lea, kitchen)
    assert set(lines) == {(ana, Role.ANNOTATE), (rui, Role.REVIEW), (rui, Role.ADJUDICATE)}
    line = lines[ana, Role.ANNOTATE]
    assert (line.submitted, line.accepted, line.decided, line.returned) == (4, 2, 2, 1)
    assert (line.active_seconds, line.median_seconds, line.amount) == (480, 120, None)
    assert line.returned_interval.low < line.returned_share == 0.5 < line.returned_interval.high
    assert (lines[rui, Role.REVIEW].reviewed, lines[rui, Role.REVIEW].hours) == (2, 1)
    assert (lines[rui, Role.ADJUDICATE].adjudicated, lines[rui, Role.ADJUDICATE].median_seconds) == (1, None)


def test_time_that_was_never_recorded_is_undefined_and_pays_nothing_by_the_hour(rui, lea, kitchen):
    paid(lea, kitchen, "adjudicate", "hour", "20")
    line = lines_of(lea, kitchen)[rui, Role.ADJUDICATE]
    assert (line.active_seconds, line.hours, line.rate, line.amount) == (None, None, 20, None)
    close_month(actor=lea, benchmark=kitchen, month=OCTOBER)
    kept = lines_of(lea, kitchen)[rui, Role.ADJUDICATE]
    assert (kept.hours, kept.amount) == (None, None)


def test_work_of_other_months_does_not_count(ana, lea, kitchen):
    made(ana, kitchen.samples.get(key="s-0006"), at=datetime(2026, 11, 1, 0, 0, tzinfo=UTC))
    made(ana, kitchen.samples.get(key="s-0007"), at=datetime(2026, 10, 31, 23, 59, 59, tzinfo=UTC))
    assert lines_of(lea, kitchen)[ana, Role.ANNOTATE].submitted == 5


def test_reviews_that_an_adjudication_stores_are_not_counted_twice(ana, rui, lea, kitchen):
    made(ana, kitchen.samples.get(key="s-0004"), "accepted", IN_OCTOBER, (rui, "accept"))
    lines = lines_of(lea, kitchen)
    assert (lines[rui, Role.REVIEW].reviewed, lines[rui, Role.ADJUDICATE].adjudicated) == (2, 1)


def test_people_are_paid_by_the_hour_or_the_sample_and_their_own_rate_counts_first(ana, rui, lea, kitchen):
    paid(lea, kitchen, Role.ANNOTATE, "sample", "0.35")
    paid(lea, kitchen, Role.REVIEW, "hour", "20")
    lines = lines_of(lea, kitchen)
    assert lines[ana, Role.ANNOTATE].amount == Decimal("1.40")
    assert lines[rui, Role.REVIEW].amount == Decimal("20.00")
    assert lines[rui, Role.ADJUDICATE].amount is None
    own = paid(lea, kitchen, Role.ANNOTATE, "hour", "30", person=ana)
    assert lines_of(lea, kitchen)[ana, Role.ANNOTATE].amount == Decimal("4.00")
    remove_rate(actor=lea, rate=own)
    assert lines_of(lea, kitchen)[ana, Role.ANNOTATE].amount == Decimal("1.40")


def test_a_closed_month_never_changes(ana, rui, lea, kitchen):
    paid(lea, kitchen, Role.ANNOTATE, "sample", "0.35")
    close_month(actor=lea, benchmark=kitchen, month=OCTOBER)
    before = month_for(lea, kitchen, OCTOBER).lines
    made(ana, kitchen.samples.get(key="s-0007"))
    worked(ana, kitchen.samples.get(key="s-0007"), 5000)
    paid(lea, kitchen, Role.ANNOTATE, "sample", "9")
    set_currency(actor=lea, benchmark=kitchen, currency="CNY")
    after = month_for(lea, kitchen, OCTOBER)
    assert (after.lines, after.currency, after.amount) == (before, "EUR", Decimal("1.40"))
    with pytest.raises(Conflict):
        close_month(actor=lea, benchmark=kitchen, month=OCTOBER)
    for change in (
        lambda: PayLine.objects.update(amount=1),
        lambda: PayPeriod.objects.update(currency="USD"),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    assert AuditEntry.objects.filter(action="pay.close").count() == 1


def test_a_month_is_closed_when_it_is_over_and_by_leads(ana, lea, kitchen):
    with pytest.raises(Conflict) as caught:
        close_month(actor=lea, benchmark=kitchen, month=timezone.now().date().replace(day=1))
    assert caught.value.code == "not_over"
    with pytest.raises(NotAllowed):
        close_month(actor=ana, benchmark=kitchen, month=OCTOBER)


def test_people_see_only_their_own_work(ana, rui, sam, lea, kitchen):
    assert {person for person, _ in lines_of(ana, kitchen)} == {ana}
    assert {person for person, _ in lines_of(rui, kitchen)} == {rui}
    page = signed_in(ana).get(reverse("annotation:work-time", args=["kitchen"]), {"month": "2026-10"})
    assert str(ana) in page.content.decode()
    assert str(rui) not in page.content.decode()
    file = signed_in(ana).get(reverse("annotation:work-time-file", args=["kitchen", "2026-10", "csv"]))
    assert rui.email not in file.content.decode()
    close_month(actor=lea, benchmark=kitchen, month=OCTOBER)
    assert {person for person, _ in lines_of(ana, kitchen)} == {ana}
    sam_page = signed_in(sam).get(reverse("annotation:work-time", args=["kitchen"]))
    assert sam_page.status_code == 404
    researcher = make_user("Nora Vik")
    kitchen.memberships.create(user=researcher, role="researcher")
    assert signed_in(researcher).get(reverse("annotation:work-time", args=["kitchen"])).status_code == 403


def test_a_gold_check_is_paid_and_counted_as_any_sample_and_nothing_tells_it_apart(ana, bo, rui, lea, kitchen):
    kitchen.memberships.create(user=bo, role="annotator")
    other = to_annotate(6, slug="street", annotator=bo, reviewer=rui, lead=lea)
    for _ in range(3):
        submitted(bo, other)
        reviewed(rui, next_review(rui, other), "accept")
    other.memberships.create(user=ana, role="annotator")
    add_checks(
        actor=lea, benchmark=other, keys=list(other.samples.filter(state="accepted").values_list("key", flat=True))
    )
    set_check_rules(
        actor=lea, benchmark=other, check_first=2, check_share=0.0, box_measure="iou", box_least=0.5,
        any_question=False, pause_after=3, pause_below=None,
    )  # fmt: skip
    paid(lea, other, Role.ANNOTATE, "sample", "2")
    amounts = []
    for _ in range(4):
        submit(actor=ana, sample=take_one(ana, other), version=0, content=content())
        line = lines_of(ana, type(other).objects.get(pk=other.pk), timezone.now().date().replace(day=1))[
            ana, Role.ANNOTATE
        ]
        amounts.append(line.amount)
        assert (line.accepted, line.decided, line.returned, line.returned_share) == (None, None, None, None)
    assert amounts == [Decimal(2), Decimal(4), Decimal(6), Decimal(8)]
    assert CheckAnswer.objects.filter(user=ana, state="handed_in").count() == 2
    page = signed_in(ana).get(reverse("annotation:work-time", args=["street"]))
    assert page.context["blind"]


def test_the_files_have_the_numbers_of_the_page(ana, lea, kitchen):
    ana.name = "=cmd()"
    ana.save()
    client = signed_in(lea)
    text = client.get(reverse("annotation:work-time-file", args=["kitchen", "2026-10", "csv"])).content.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    mine = next(row for row in rows if row["role"] == "annotate")
    assert mine["person"] == "'=cmd()"
    assert (mine["submitted"], mine["accepted"], mine["amount"], mine["return_rate"]) == ("4", "2", "", "0.5")
    assert {row["verified"] for row in rows} == {"True"}
    file = client.get(reverse("annotation:work-time-file", args=["kitchen", "2026-10", "xlsx"]))
    sheet = load_workbook(io.BytesIO(file.content)).active
    heading, *lines = sheet.iter_rows(values_only=True)
    assert list(heading) == list(rows[0])
    assert len(lines) == len(rows) == 3
    assert next(line for line in lines if line[3] == "annotate")[4] == 4
    assert client.get(reverse("annotation:work-time-file", args=["kitchen", "2026-13", "csv"])).status_code == 404
    assert client.get(reverse("annotation:work-time-file", args=["kitchen", "2026-10", "pdf"])).status_code == 404


def test_an_account_without_a_verified_address_is_marked(ana, lea, kitchen):
    User.objects.filter(pk=ana.pk).update(email_verified=False)
    client, page = signed_in(lea), reverse("annotation:work-time", args=["kitchen"])
    assert client.get(page, {"month": "2026-10"}).content.decode().count("address not verified") == 1
    text = client.get(reverse("annotation:work-time-file", args=["kitchen", "2026-10", "csv"])).content.decode()
    rows = {row["email"]: row["verified"] for row in csv.DictReader(io.StringIO(text))}
    assert rows.pop(ana.email) == "False"
    assert set(rows.values()) == {"True"}
    lines = client.get("/api/v1/benchmarks/kitchen/time/?month=2026-10").json()["lines"]
    assert {line["verified"] for line in lines if line["email"] == ana.email} == {False}
    close_month(actor=lea, benchmark=kitchen, month=OCTOBER)
    assert not lines_of(ana, kitchen)[ana, Role.ANNOTATE].verified


def test_the_page_asks_as_often_for_one_person_as_for_many(lea, kitchen):
    client, address = signed_in(lea), reverse("annotation:work-time", args=["kitchen"]) + "?month=2026-10"
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        client.get(address)
    for number, sample in enumerate(kitchen.samples.all()):
        person = make_user(f"Person {number}", email=f"person{number}@example.org")
        made(person, sample)
        worked(person, sample, 10)
    with CaptureQueriesContext(connection) as many:
        assert len(client.get(address).context["month"].lines) > 8
    assert len(many) == len(few) <= 30


def test_a_lead_sets_a_rate_and_closes_a_month_in_the_browser(ana, lea, kitchen):
    client, here = signed_in(lea), reverse("annotation:work-time", args=["kitchen"])
    sent = {"currency": "EUR", "role": "annotate", "per": "hour", "amount": "12.50", "person": ""}
    assert client.post(reverse("annotation:work-time-rate", args=["kitchen"]), sent).status_code == 302
    wrong = client.post(reverse("annotation:work-time-rate", args=["kitchen"]), sent | {"amount": "-1"})
    assert (wrong.status_code, PayRate.objects.get().amount) == (400, Decimal("12.50"))
    client.post(reverse("annotation:work-time-close", args=["kitchen"]), {"month": "2026-10"})
    assert PayPeriod.objects.get().closed_by == lea
    assert client.get(here, {"month": "2026-10"}).context["month"].period
    rate = PayRate.objects.get()
    client.post(reverse("annotation:work-time-rate-remove", args=["kitchen", rate.pk]))
    assert not PayRate.objects.exists()
    assert PayLine.objects.filter(amount__isnull=False).exists()


@pytest.mark.parametrize("currency", ["", "EU", "EURO", "12€"])
def test_a_currency_has_three_letters(lea, kitchen, currency):
    with pytest.raises(InvalidInput):
        set_currency(actor=lea, benchmark=kitchen, currency=currency)


def test_a_rate_needs_a_currency_a_member_and_a_whole_number_of_hundredths(sam, lea, kitchen):
    with pytest.raises(InvalidInput):
        set_rate(actor=lea, benchmark=kitchen, role=Role.REVIEW, per=PayRate.Per.HOUR, amount=Decimal(1))
    for changes in ({"amount": "0.005"}, {"amount": "-1"}, {"amount": "1", "person": sam}):
        with pytest.raises(InvalidInput):
            paid(lea, kitchen, Role.REVIEW, "hour", **changes)


def test_the_time_over_the_api_is_that_of_the_page(client, ana, rui, lea, kitchen):
    address = reverse("api-work-time", args=["kitchen"])

    def get(person, month):
        headers = {"Authorization": f"Bearer {make_token(person)}"}
        return client.get(address, {"month": month}, headers=headers)

    found = get(lea, "2026-10").json()
    assert (found["month"], found["closed_at"], len(found["lines"])) == ("2026-10", None, 3)
    assert [(one["email"], one["submitted"], one["amount"]) for one in get(ana, "2026-10").json()["lines"]] == [
        (ana.email, 4, None)
    ]
    assert get(ana, "October").status_code == 400
