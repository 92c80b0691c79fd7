"""Guidelines: published by the lead, read before the next sample, and free of gold that a reader may not see."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.content.guidelines import GuidelinesUnread
from annotation.guidelines.write import confirm_read, publish
from annotation.models import Benchmark, Guideline, QualityRules
from annotation.quality.write.checks import add_checks, draw_checks
from annotation.queue.assignment import next_to_annotate
from annotation.queue.look_ahead import look_ahead
from annotation.review.write.decisions import next_to_review
from tests.annotation.work_data import next_review, reviewed, submitted, take_one, to_annotate
from tests.conftest import signed_in
from tests.factories import make_token
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db
PAGE = "/benchmarks/kitchen/guidelines/"
SETTINGS = "/benchmarks/kitchen/settings/guidelines/"
EXAMPLE = ":::example sample={key} verdict=good\nTight.\n:::\n"


@made_once
def kitchen(ana: User, rui: User, lea: User) -> Benchmark:
    """Four samples to annotate, the first of which Ana annotated and Rui accepted."""
    benchmark = to_annotate(4, annotator=ana, reviewer=rui, lead=lea)
    submitted(ana, benchmark)
    reviewed(rui, next_review(rui, benchmark), "accept")
    return benchmark


def published(lead: User, benchmark: Benchmark, body: str = "# Question\n", **fields: Any) -> Guideline:
    newest = Guideline.objects.in_force(benchmark)
    return publish(actor=lead, benchmark=benchmark, body=body, based_on=newest.number if newest else 0, **fields)


def accepted(benchmark: Benchmark) -> str:
    return benchmark.samples.get(state="accepted").key


def test_publishing_makes_the_next_version_and_leaves_the_last_as_it_was(kitchen: Benchmark, lea: User) -> None:
    published(lea, kitchen)
    second = published(lea, kitchen, "# Question\nAsk for one fact.\n", note="Say it.")
    assert [(one.number, one.body) for one in kitchen.guidelines.order_by("number")] == [
        (1, "# Question\n"),
        (2, "# Question\nAsk for one fact.\n"),
    ]
    entry = AuditEntry.objects.filter(action="guidelines.publish").latest("pk")
    assert (entry.actor, entry.data["number"], entry.data["note"]) == (lea, second.number, "Say it.")


def test_of_two_leads_the_second_is_told_and_keeps_the_text(kitchen: Benchmark, lea: User, admin: User) -> None:
    published(admin, kitchen)
    with pytest.raises(Conflict):
        publish(actor=lea, benchmark=kitchen, body="# Mine\n", based_on=0)
    answer = signed_in(lea).post(SETTINGS, {"body": "# Mine\n", "based_on": "0"})
    assert answer.status_code == 400
    assert "# Mine" in answer.content.decode()
    # What they saw is what they now build on.
    assert (
        signed_in(lea)
        .post(SETTINGS, {"body": "# Mine\n", "based_on": answer.context["form"]["based_on"].value()})
        .status_code
        == 302
    )
    assert Guideline.objects.in_force(kitchen).body == "# Mine\n"


@pytest.mark.parametrize("body", ["![x](nowhere)", EXAMPLE.format(key="nowhere"), ":::example\n:::", "a" * 100_001])
def test_a_text_that_cannot_be_shown_is_not_published(kitchen: Benchmark, lea: User, body: str) -> None:
    with pytest.raises(InvalidInput):
        published(lea, kitchen, body)
    assert not Guideline.objects.exists()


def test_an_example_is_an_accepted_sample(kitchen: Benchmark, lea: User) -> None:
    open_one = kitchen.samples.filter(state="to_do").first()
    with pytest.raises(InvalidInput):
        published(lea, kitchen, EXAMPLE.format(key=open_one.key))
    assert published(lea, kitchen, EXAMPLE.format(key=accepted(kitchen))).number == 1


def test_a_sample_is_never_both_an_example_and_a_gold_check(kitchen: Benchmark, lea: User) -> None:
    key = accepted(kitchen)
    published(lea, kitchen, EXAMPLE.format(key=key))
    published(lea, kitchen, "# Nothing shown any more\n")
    with pytest.raises(Conflict):
        add_checks(actor=lea, benchmark=kitchen, keys=[key])
    assert draw_checks(actor=lea, benchmark=kitchen, n=5) == 0


def test_a_gold_check_cannot_become_an_example(kitchen: Benchmark, lea: User) -> None:
    add_checks(actor=lea, benchmark=kitchen, keys=[accepted(kitchen)])
    with pytest.raises(InvalidInput):
        published(lea, kitchen, EXAMPLE.format(key=accepted(kitchen)))


def test_nobody_gets_the_next_sample_before_they_read_what_is_new(
    kitchen: Benchmark, ana: User, rui: User, lea: User
) -> None:
    working_on = take_one(ana, kitchen)
    first = published(lea, kitchen)
    with pytest.raises(GuidelinesUnread):
        next_to_annotate(actor=ana, benchmark=kitchen)
    with pytest.raises(GuidelinesUnread):
        next_to_review(actor=rui, benchmark=kitchen)
    assert look_ahead(actor=ana, sample=working_on) is None
    confirm_read(actor=ana, guideline=first)
    confirm_read(actor=ana, guideline=first)
    assert next_to_annotate(actor=ana, benchmark=kitchen) == working_on
    published(lea, kitchen, "# A typo less\n", must_read=False)
    assert next_to_annotate(actor=ana, benchmark=kitchen) == working_on
    published(lea, kitchen, "# A rule more\n")
    with pytest.raises(GuidelinesUnread):
        next_to_annotate(actor=ana, benchmark=kitchen)
    assert AuditEntry.objects.filter(action="guidelines.read", actor=ana).count() == 1


def test_reading_a_later_version_is_enough(kitchen: Benchmark, ana: User, lea: User) -> None:
    published(lea, kitchen)
    confirm_read(actor=ana, guideline=published(lea, kitchen, "# A typo less\n", must_read=False))
    assert next_to_annotate(actor=ana, benchmark=kitchen) is not None


@pytest.mark.parametrize("queue", ["annotate", "review"])
def test_continue_leads_over_the_guidelines_to_the_sample(
    kitchen: Benchmark, ana: User, rui: User, lea: User, queue: str
) -> None:
    submitted(ana, kitchen)
    published(lea, kitchen, "# Question\nOne.\n")
    published(lea, kitchen, "# Question\nTwo.\n", note="Two facts.")
    client = signed_in(ana if queue == "annotate" else rui)
    stop = client.post(f"/benchmarks/kitchen/{queue}/next/")
    page = client.get(stop.url)
    assert page.context["to_read"]
    opened = client.post(f"{PAGE}read/", {"version": "2", "queue": page.context["queue"]}, follow=True)
    assert opened.redirect_chain[0] == (f"/benchmarks/kitchen/{queue}/next/", 307)
    assert opened.request["PATH_INFO"].startswith(f"/benchmarks/kitchen/{queue}/samples/")


def test_confirming_never_leads_to_another_site(kitchen: Benchmark, ana: User, lea: User) -> None:
    published(lea, kitchen)
    answer = signed_in(ana).post(f"{PAGE}read/", {"version": "1", "queue": "https://elsewhere.example/"})
    assert answer.url == PAGE


def test_a_reader_sees_what_changed_since_they_last_confirmed(kitchen: Benchmark, ana: User, lea: User) -> None:
    confirm_read(actor=ana, guideline=published(lea, kitchen, "one\n\ntwo\n"))
    published(lea, kitchen, "one\n\nthree\n")
    changed = signed_in(ana).get(PAGE).context["changed"]
    assert [(line.kind, line.words) for line in changed if line.kind in ("added", "removed")] == [
        ("removed", "two"),
        ("added", "three"),
    ]


def test_an_annotator_who_works_blind_sees_the_gold_of_examples_only(kitchen: Benchmark, ana: User, lea: User) -> None:
    published(lea, kitchen, EXAMPLE.format(key=accepted(kitchen)))
    question = kitchen.samples.get(state="accepted").gold.revision.question
    QualityRules.objects.update_or_create(benchmark=kitchen, defaults={"check_share": 0.2})
    assert question in signed_in(ana).get(f"{PAGE}panel/").content.decode()


def test_an_example_whose_sample_was_reopened_shows_no_evidence(kitchen: Benchmark, ana: User, lea: User) -> None:
    published(lea, kitchen, EXAMPLE.format(key=accepted(kitchen)))
    sample = kitchen.samples.get(state="accepted")
    kitchen.samples.filter(pk=sample.pk).update(state="draft")
    page = signed_in(ana).get(PAGE).content.decode()
    assert sample.gold.revision.question not in page
    assert "Tight." in page


def test_work_names_the_guidelines_that_were_in_force(kitchen: Benchmark, lea: User) -> None:
    first, second = published(lea, kitchen), published(lea, kitchen, "# Two\n")
    now = timezone.now()
    Guideline.objects.filter(pk=first.pk).update(published_at=now - timedelta(days=2))
    Guideline.objects.filter(pk=second.pk).update(published_at=now - timedelta(days=1))
    at = [Guideline.objects.in_force(kitchen, now - timedelta(days=days)) for days in (3, 1.5, 0)]
    assert at == [None, first, second]


def test_a_lead_sees_who_has_not_read_them(kitchen: Benchmark, ana: User, rui: User, lea: User) -> None:
    confirm_read(actor=rui, guideline=published(lea, kitchen))
    readers = signed_in(lea).get(SETTINGS).context["readers"]
    assert (readers.read, readers.total, readers.missing) == (1, 2, (ana,))


def test_the_page_takes_the_same_queries_for_one_example_and_for_many(
    kitchen: Benchmark, ana: User, rui: User, lea: User, django_assert_max_num_queries: Any
) -> None:
    for _ in range(2):
        submitted(ana, kitchen)
        reviewed(rui, next_review(rui, kitchen), "accept")
    keys = kitchen.samples.filter(state="accepted").values_list("key", flat=True)
    client = signed_in(ana)
    counts = []
    for body in (EXAMPLE.format(key=keys[0]), "\n".join(EXAMPLE.format(key=key) for key in keys)):
        published(lea, kitchen, body)
        with django_assert_max_num_queries(30) as asked:
            client.get(f"{PAGE}panel/")
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_only_leads_publish(kitchen: Benchmark, ana: User, rui: User) -> None:
    for person in (ana, rui):
        with pytest.raises(NotAllowed):
            published(person, kitchen)


def test_the_api_lists_and_publishes_them(kitchen: Benchmark, lea: User, client: Any) -> None:
    address, token = "/api/v1/benchmarks/kitchen/guidelines/", {"HTTP_AUTHORIZATION": f"Bearer {make_token(lea)}"}
    sent = {"body": "# Question\n", "based_on": 0}
    made = client.post(address, sent, content_type="application/json", **token)
    again = client.post(address, sent, content_type="application/json", **token)
    assert (made.status_code, again.status_code) == (201, 409)
    [row] = client.get(address, **token).json()["results"]
    assert (row["number"], row["body"]) == (1, "# Question\n")
