"""Notifications reach the people they concern, once, by the channel that they chose."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.benchmarks.write.people import set_roles
from annotation.content.comments import add_comment
from annotation.content.freeze import freeze_version
from annotation.guidelines.write import publish
from annotation.models import Benchmark
from annotation.quality.write.checks import add_checks, set_check_rules
from annotation.queue.accepted import count_days
from annotation.queue.pauses import pause, resume
from annotation.work.write.discard import discard_samples
from annotation.workflow import Role
from evaluation.trash.write.samples import delete_samples
from tests.annotation.quality.test_checks import RULES, is_check
from tests.annotation.work_data import (
    annotation_of,
    assigned,
    drafted,
    next_review,
    reopened,
    reviewed,
    submitted,
    to_annotate,
)
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.models import AuditEntry
from webapp.notifications.kinds import SENTENCES, Channel, Kind
from webapp.notifications.mail_text import Line, body_of, subject_of
from webapp.notifications.models import Notification
from webapp.notifications.present import words_of
from webapp.notifications.schedule import at_once, next_digest
from webapp.notifications.write import Event, change_settings, notify

pytestmark = pytest.mark.django_db
INBOX = "/notifications/"


@made_once
def benchmark(ana: User, rui: User, lea: User) -> Benchmark:
    return to_annotate(14, annotator=ana, reviewer=rui, lead=lea)


def told(person: User) -> list[str]:
    """The sentences in the inbox of a person, the oldest first."""
    return [words_of(one) for one in Notification.objects.of(person).order_by("pk")]


def kinds(person: User) -> list[str]:
    return list(Notification.objects.of(person).order_by("pk").values_list("sentence", flat=True))


def test_an_author_is_told_of_a_return_and_a_reopening(ana: User, rui: User, lea: User, benchmark: Benchmark) -> None:
    sample = submitted(ana, benchmark)
    reviewed(rui, next_review(rui, benchmark), "return", comment="Tighter.")
    assert told(ana) == ["s-0000 was returned to you on Kitchen."]
    entry = Notification.objects.get(person=ana)
    assert signed_in(ana).get(entry.path).status_code == 200
    submitted(ana, benchmark)
    reviewed(rui, next_review(rui, benchmark), "accept")
    reopened(lea, sample.__class__.objects.exclude(gold=None).get())
    assert kinds(ana)[1:] == ["reopened"]
    assert Notification.objects.exclude(person=ana).count() == 0


def test_an_act_that_fails_tells_nobody(ana: User, benchmark: Benchmark) -> None:
    def fail() -> None:
        notify(Event("assigned", benchmark="kitchen"), [ana.pk])
        raise RuntimeError

    with pytest.raises(RuntimeError), transaction.atomic():
        fail()
    assert not Notification.objects.exists()


def test_assigned_samples_are_neither_named_nor_counted(ana: User, lea: User, benchmark: Benchmark) -> None:
    assigned(lea, benchmark, ana, "s-0001", "s-0002")
    assert told(ana) == ["Lea Moreau assigned samples to you on Kitchen."]
    assert Notification.objects.get().data == {"title": "Kitchen"}


def test_authors_and_writers_of_a_thread_are_told_of_replies(
    ana: User, rui: User, lea: User, benchmark: Benchmark
) -> None:
    sample = submitted(ana, benchmark)
    annotation = annotation_of(ana, sample)
    thread = add_comment(actor=rui, annotation=annotation, text="Which mug?")
    add_comment(actor=ana, annotation=annotation, text="The white one.", parent=thread.pk)
    assert told(ana) == ["Rui Costa commented on s-0000 on Kitchen."]
    assert told(rui) == ["Ana Lind commented on s-0000 on Kitchen."]
    assert told(lea) == []


def test_pauses_guidelines_versions_and_roles_reach_whom_they_concern(
    ana: User, rui: User, lea: User, sam: User, benchmark: Benchmark
) -> None:
    pause(actor=lea, benchmark=benchmark, reason="Come to my desk.", user=ana)
    resume(actor=lea, benchmark=benchmark, user=ana)
    pause(actor=lea, benchmark=benchmark, reason="Holiday.")
    assert kinds(ana) == ["paused", "resumed", "paused.all"]
    assert kinds(rui) == ["paused.all"]
    publish(actor=lea, benchmark=benchmark, body="# Boxes\n\nTight.", must_read=False, based_on=0)
    assert kinds(rui)[-1] == "guideline"
    submitted_by_resumed(ana, rui, lea, benchmark)
    freeze_version(actor=lea, benchmark=benchmark)
    assert kinds(rui)[-1] == kinds(ana)[-1] == "freeze"
    set_roles(actor=lea, benchmark=benchmark, user=sam, roles=[Role.REVIEWER])
    assert told(sam) == ["Lea Moreau gave you a role on Kitchen: reviewer."]
    set_roles(actor=lea, benchmark=benchmark, user=sam, roles=[])
    assert told(sam) == []


def submitted_by_resumed(ana: User, rui: User, lea: User, benchmark: Benchmark) -> None:
    resume(actor=lea, benchmark=benchmark)
    submitted(ana, benchmark)
    reviewed(rui, next_review(rui, benchmark), "accept")


def test_who_gets_gold_checks_is_told_the_same_of_them_as_of_other_samples(
    ana: User, rui: User, lea: User, benchmark: Benchmark, bo: User
) -> None:
    benchmark.memberships.create(user=bo, role="annotator")
    for _ in range(2):
        submitted(bo, benchmark)
        reviewed(rui, next_review(rui, benchmark), "accept")
    add_checks(actor=lea, benchmark=benchmark, keys=["s-0000", "s-0001"])
    set_check_rules(actor=lea, benchmark=benchmark, **{**RULES, "check_first": 1})
    benchmark = Benchmark.objects.get(pk=benchmark.pk)
    before = Notification.objects.count()
    checked, plain = submitted(ana, benchmark), submitted(ana, benchmark)
    assert is_check(checked)
    assert not is_check(plain)
    browser = signed_in(ana)
    for sample in (checked, plain):
        url = reverse("annotation:review-comments", args=["kitchen", sample.key])
        sent = browser.post(url, {"text": "Is it @Rui Costa's?"}, content_type="application/json")
        assert sent.status_code == 201
    reviewed(rui, next_review(rui, benchmark), "accept")
    assert Notification.objects.of(ana).count() == 0
    assert not any(checked.key in str(one.data) for one in Notification.objects.of(rui))
    assert Notification.objects.count() >= before


def remove(act: str, lead: User, benchmark: Benchmark, *keys: str) -> None:
    if act == "deleted":
        delete_samples(actor=lead, benchmark=benchmark, keys=keys)
    else:
        samples, why = benchmark.samples.filter(key__in=keys), {"reasons": [], "comment": "Blurred."}
        discard_samples(actor=lead, benchmark=benchmark, samples=samples, key=keys[0], **why)


@pytest.mark.parametrize("act", ["deleted", "discarded"])
def test_who_has_begun_a_sample_learns_that_it_is_removed(ana: User, lea: User, benchmark: Benchmark, act: str) -> None:
    sample = drafted(ana, benchmark)
    assigned(lea, benchmark, ana, "s-0005")
    Notification.objects.all().delete()
    remove(act, lea, benchmark, sample.key, "s-0005", "s-0006")
    assert told(ana) == [f"Lea Moreau {act} s-0000, which you had begun, on Kitchen."]
    assert signed_in(ana).get(Notification.objects.get().path).status_code == 200
    finished = submitted(ana, benchmark)
    remove(act, lea, benchmark, finished.key)
    assert (len(told(ana)), told(lea)) == (1, []), "a submitted sample is not open work"


@pytest.mark.parametrize("act", ["deleted", "discarded"])
def test_a_removed_gold_check_that_was_begun_is_reported_like_any_sample(
    ana: User, rui: User, lea: User, benchmark: Benchmark, act: str, bo: User
) -> None:
    benchmark.memberships.create(user=bo, role="annotator")
    submitted(bo, benchmark)
    reviewed(rui, next_review(rui, benchmark), "accept")
    add_checks(actor=lea, benchmark=benchmark, keys=["s-0000"])
    set_check_rules(actor=lea, benchmark=benchmark, **{**RULES, "check_first": 1})
    benchmark = Benchmark.objects.get(pk=benchmark.pk)
    sample = drafted(ana, benchmark)
    assert is_check(sample)
    remove(act, lea, benchmark, sample.key)
    assert told(ana) == [f"Lea Moreau {act} s-0000, which you had begun, on Kitchen."]


def test_ten_alike_events_within_five_minutes_are_one_entry(ana: User) -> None:
    event = Event("mention", {"title": "Kitchen", "sample": "s-1"}, benchmark="kitchen", path="/a/", list_path="/b/")
    for _ in range(9):
        notify(event, [ana.pk])
    assert Notification.objects.count() == 9
    notify(Event("returned", benchmark="kitchen"), [ana.pk])
    notify(Event("mention", benchmark="other"), [ana.pk])
    notify(event, [ana.pk])
    assert sorted(Notification.objects.values_list("kind", "count")) == [
        ("mention", 1), ("mention", 10), ("returned", 1),
    ]  # fmt: skip
    notify(event, [ana.pk])
    folded = Notification.objects.get(count=11)
    assert words_of(folded) == "11 mentions of you on Kitchen."
    Notification.objects.update(changed_at=timezone.now() - timedelta(minutes=6))
    notify(event, [ana.pk])
    assert Notification.objects.filter(kind="mention", benchmark="kitchen").count() == 2


def test_every_sentence_can_be_said(ana: User) -> None:
    for name in SENTENCES:
        entry = Notification(person=ana, kind=SENTENCES[name].kind, sentence=name, data={"title": "100% Kitchen"})
        assert "100% Kitchen" in words_of(entry)
        entry.count = 12
        assert "12" in words_of(entry)


@pytest.mark.parametrize(
    ("now", "zone", "due"),
    [
        ("2026-03-01T07:59", "UTC", "2026-03-01T08:00"),
        ("2026-03-01T08:00", "UTC", "2026-03-02T08:00"),
        ("2026-03-01T23:30", "Asia/Tokyo", "2026-03-02T23:00"),
        ("2026-03-01T12:00", "America/New_York", "2026-03-01T13:00"),
        # The night in which clocks go forward is an hour shorter.
        ("2026-03-28T12:00", "Europe/Lisbon", "2026-03-29T07:00"),
        ("2026-10-24T12:00", "Europe/Lisbon", "2026-10-25T08:00"),
    ],
)
def test_the_daily_email_is_due_at_eight_where_the_person_lives(now: str, zone: str, due: str) -> None:
    moment = datetime.fromisoformat(now).replace(tzinfo=UTC)
    assert next_digest(moment, zone) == datetime.fromisoformat(due).replace(tzinfo=UTC)


def test_an_alike_event_waits_five_minutes_after_an_email() -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert at_once(now, None) == now
    assert at_once(now, now - timedelta(minutes=1)) == now + timedelta(minutes=4)
    assert at_once(now, now - timedelta(hours=1)) == now


def test_five_hundred_events_are_one_short_email() -> None:
    lines = [Line(f"Benchmark {n % 7}", "é" * 400, "https://sightline.example.org/" + "x" * 200) for n in range(500)]
    text = body_of(lines, inbox="https://s/", settings="https://s/")
    assert len(text.encode()) <= 55_000
    written = text.count("\n- ")
    assert f"{500 - written} more are in your inbox." in text
    assert subject_of(lines) == "500 notifications"


def test_a_title_writes_no_further_lines() -> None:
    line = Line("Kitchen\nBcc: sam@example.org", "One\r\ntwo.")
    assert subject_of([line]) == "One two"
    assert "\nBcc" not in body_of([line], inbox="i", settings="s")


def at_eight(settings: Any) -> None:
    settings.SENDS_EMAIL = True
    settings.SITE_URL = "https://sightline.example.org"


@pytest.mark.endurance
def test_the_digest_of_a_person_is_one_email(
    ana: User, settings: Any, run_jobs: Callable[[], int], mailoutbox: Any
) -> None:
    from webapp.notifications.jobs import due_emails

    at_eight(settings)
    for number in range(500):
        data = {"title": "Kitchen", "sample": f"s-{number}"}
        notify(Event("returned", data, benchmark=f"b{number}", path=f"/benchmarks/b{number}/"), [ana.pk])
    assert run_jobs() == 0
    assert not mailoutbox
    Notification.objects.update(mail_after=timezone.now() - timedelta(seconds=1))
    due_emails(timezone.now())
    run_jobs()
    [sent] = mailoutbox
    assert sent.to == [ana.email]
    assert len(sent.message().as_bytes()) <= 60_000
    assert "500 notifications" in sent.subject
    due_emails(timezone.now())
    run_jobs()
    assert len(mailoutbox) == 1


def test_an_email_at_once_can_be_ended_with_one_click(
    ana: User, settings: Any, run_jobs: Callable[[], int], mailoutbox: Any
) -> None:
    at_eight(settings)
    notify(Event("mention", {"title": "Kitchen", "sample": "s-1"}, benchmark="kitchen", path="/b/"), [ana.pk])
    assert mailoutbox == []
    run_jobs()
    [sent] = mailoutbox
    assert sent.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = sent.extra_headers["List-Unsubscribe"].strip("<>")
    path = link.removeprefix("https://sightline.example.org")
    browser = Client(enforce_csrf_checks=True)
    assert browser.get(path).status_code == 200
    assert not AuditEntry.objects.filter(action="notifications.change").exists(), "a look changes nothing"
    assert browser.post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
    notify(Event("mention", {"title": "Kitchen"}, benchmark="kitchen"), [ana.pk])
    run_jobs()
    assert len(mailoutbox) == 1
    assert Notification.objects.of(ana).count() == 2
    assert browser.post(path[:-4] + "aaa/").status_code == 404


def test_read_entries_unverified_addresses_and_what_is_off_get_no_email(
    ana: User, rui: User, lea: User, settings: Any, run_jobs: Callable[[], int], mailoutbox: Any
) -> None:
    at_eight(settings)
    User.objects.filter(pk=rui.pk).update(email_verified=False)
    change_settings(actor=lea, channels={Kind.MENTION: Channel.OFF})
    notify(Event("mention", {"title": "Kitchen"}, benchmark="kitchen"), [ana.pk, rui.pk, lea.pk])
    Notification.objects.of(ana).update(read_at=timezone.now())
    run_jobs()
    assert mailoutbox == [] == list(Notification.objects.of(lea))
    assert Notification.objects.of(rui).count() == 1


def test_an_email_that_cannot_be_sent_is_sent_later(
    ana: User, settings: Any, run_jobs: Callable[[], int], mailoutbox: Any
) -> None:
    at_eight(settings)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", 9, 1
    notify(Event("mention", {"title": "Kitchen"}, benchmark="kitchen"), [ana.pk])
    run_jobs()
    entry = Notification.objects.get()
    assert entry.mailed_at is None
    assert entry.mail_after > timezone.now()
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    Notification.objects.update(mail_after=timezone.now())
    from webapp.notifications.jobs import due_emails

    due_emails(timezone.now())
    run_jobs()
    assert len(mailoutbox) == 1


def test_a_person_reads_filters_and_chooses(ana: User, sam: User, django_assert_num_queries: Any) -> None:
    for n in range(60):
        notify(Event("freeze", {"title": "Kitchen", "number": n}, benchmark=f"b{n}", path="/"), [ana.pk])
    notify(Event("mention", {"title": "<b>Kitchen"}, actor=sam, benchmark="kitchen", path="/x/"), [ana.pk])
    browser = signed_in(ana)
    with django_assert_num_queries(5):
        page = browser.get(INBOX)
    assert "&lt;b&gt;Kitchen" in page.text
    assert page.text.count('<li class="inbox__entry') == 50
    assert browser.get(INBOX, {"after": page.context["page"].after}).text.count('<li class="inbox__entry') == 11
    with django_assert_num_queries(5):
        assert browser.get(INBOX, {"kind": "mention"}).text.count('<li class="inbox__entry') == 1
    with django_assert_num_queries(3):
        assert 'data-unread="61"' in browser.get("/notifications/bell/").text
    mine = Notification.objects.of(ana).get(kind="mention")
    assert signed_in(sam).post(f"/notifications/{mine.pk}/read/").status_code == 404
    browser.post(f"/notifications/{mine.pk}/read/")
    assert Notification.objects.of(ana).unread().count() == 60
    browser.post(f"/notifications/{mine.pk}/read/", {"unread": "1"})
    browser.post("/notifications/read/", {"kind": "freeze", "until": page.context["now"]})
    assert list(Notification.objects.of(ana).unread()) == [mine]
    assert browser.get(INBOX, {"after": "nonsense"}).status_code == 400


def test_channels_and_time_zone_are_chosen_on_a_page(ana: User, settings: Any) -> None:
    at_eight(settings)
    notify(Event("returned", {"title": "Kitchen"}, benchmark="kitchen"), [ana.pk])
    browser = signed_in(ana)
    chosen = {kind.value: Channel.DIGEST.value for kind in Kind} | {"zone": "Asia/Tokyo"}
    assert browser.post("/notifications/settings/", chosen).status_code == 302
    assert browser.get("/notifications/settings/").context["form"].initial == chosen
    assert Notification.objects.get().mail_after.astimezone(UTC).hour == 23
    assert AuditEntry.objects.filter(action="notifications.change").count() == 1
    assert browser.post("/notifications/settings/", {**chosen, "mention": "pigeon"}).status_code == 400
    assert browser.post("/notifications/settings/", {**chosen, "zone": "Mars/Base"}).status_code == 400


def test_no_email_is_sent_in_a_request(ana: User, settings: Any, mailoutbox: Any) -> None:
    at_eight(settings)
    notify(Event("mention", {"title": "Kitchen"}, benchmark="kitchen"), [ana.pk])
    assert mail.outbox == []


def test_acceptances_are_counted_by_day_and_not_told_to_who_gets_gold_checks(
    ana: User, rui: User, lea: User, benchmark: Benchmark, bo: User
) -> None:
    benchmark.memberships.create(user=bo, role="annotator")
    for person in (ana, ana, bo):
        submitted(person, benchmark)
        reviewed(rui, next_review(rui, benchmark), "accept")
    assert not Notification.objects.filter(kind="accepted").exists()
    tomorrow = timezone.now() + timedelta(days=1)
    assert count_days(tomorrow) == 2
    assert count_days(tomorrow) == 0
    day = timezone.now().astimezone(UTC).date().isoformat()
    assert told(ana) == [f"Kitchen, {day}: 2 of your samples accepted."]
    Notification.objects.all().delete()
    add_checks(actor=lea, benchmark=benchmark, keys=["s-0000"])
    set_check_rules(actor=lea, benchmark=benchmark, **{**RULES, "check_first": 1})
    assert count_days(tomorrow) == 0
