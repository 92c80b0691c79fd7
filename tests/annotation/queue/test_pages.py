"""The pages of annotating and reviewing as people get them: what is on them, for whom, in how many queries."""

from __future__ import annotations

import pytest

from annotation.models import Lease, Sample
from annotation.queue.leases import ANNOTATE, release
from annotation.queue.skip import skip
from annotation.review.write.decisions import answer_blind
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from tests.annotation.work_data import content, reviewed, submitted, take_one, to_annotate
from tests.conftest import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
QUEUE, REVIEWS = "/benchmarks/kitchen/annotate/", "/benchmarks/kitchen/review/"


def busy(ana, rui, benchmark, rounds: int) -> None:
    """Some of everything: returned, drafts, submitted, and passed by."""
    for _ in range(rounds):
        fresh = Sample.objects.filter(state="to_do", skips__isnull=True).order_by("key")
        first, second = fresh.select_related("benchmark")[:2]
        for sample in (first, second):
            submit(actor=ana, sample=sample, version=0, content=content())
        reviewed(rui, first, "return", comment="Tighter.")
        left, skipped = fresh.select_related("benchmark")[:2]
        save_draft(actor=ana, sample=left, version=0, content=content())
        skip(actor=ana, sample=skipped, reason="Later.")
        Lease.objects.all().delete()


@pytest.mark.endurance
def test_the_queue_shows_what_is_mine_in_as_many_queries_for_one_as_for_four(ana, rui, django_assert_max_num_queries):
    benchmark = to_annotate(40, annotator=ana, reviewer=rui)
    client = signed_in(ana)
    for rounds, total in ((1, 1), (3, 4)):
        busy(ana, rui, benchmark, rounds)
        with django_assert_max_num_queries(30):
            context = client.get(QUEUE).context
        assert (len(context["returned"]), len(context["drafts"]), context["nothing"]) == (total, total, False)
        assert context["to_do"] == 40 - 4 * total
    row = context["returned"][0]
    assert (row.by, row.comment, row.question) == ("Rui Costa", "Tighter.", content()["question"])


def test_next_leads_to_the_studio_and_to_the_queue_when_nothing_is_left(ana):
    benchmark = to_annotate(1, annotator=ana)
    client = signed_in(ana)
    answer = client.post(f"{QUEUE}next/")
    assert (answer.status_code, answer["Location"]) == (303, f"{QUEUE}samples/s-0000/")
    studio = client.get(answer["Location"]).context["studio"]
    assert (studio["key"], studio["version"], studio["state"], studio["editable"]) == ("s-0000", 0, "draft", True)
    assert studio["image"]["tiles"].endswith("/tiles/{level}/{column}_{row}.jpg")
    assert studio["urls"]["draft"] == f"{QUEUE}draft/s-0000/"
    Lease.objects.all().delete()
    submitted(ana, benchmark)
    assert client.post(f"{QUEUE}next/")["Location"] == QUEUE
    assert client.get(QUEUE).context["nothing"] is True


def test_the_reviews_are_listed_and_opened_blind(ana, rui, django_assert_max_num_queries):
    benchmark = to_annotate(5, annotator=ana, reviewer=rui)
    client = signed_in(rui)
    for total in (1, 3):
        while Sample.objects.filter(state="in_review").count() < total:
            submitted(ana, benchmark, question="Which mug, pray?")
        with django_assert_max_num_queries(25):
            context = client.get(REVIEWS).context
        assert (context["waiting_n"], len(context["waiting"])) == (total, total)
    answer = client.post(f"{REVIEWS}next/")
    assert (answer.status_code, answer["Location"]) == (303, f"{REVIEWS}samples/s-0000/")
    page = client.get(answer["Location"])
    assert page.context["blind"] is True
    assert "gold_boxes" not in page.content.decode()
    answer_blind(actor=rui, sample=benchmark.samples.get(key="s-0000"), answer="B", unsure=False, seconds=2)
    page = client.get(answer["Location"])
    assert page.context["review"]["content"]["gold_boxes"] == content()["gold_boxes"]


def test_a_lead_sees_what_was_skipped_and_why(ana, lea):
    benchmark = to_annotate(2, annotator=ana, lead=lea)
    sample = take_one(ana, benchmark)
    skip(actor=ana, sample=sample, reason="Too blurred to tell.")
    [row] = signed_in(lea).get(QUEUE).context["skipped"]
    assert (row.who, row.reason, row.sample.key) == ("Ana Lind", "Too blurred to tell.", "s-0000")
    assert signed_in(ana).get(QUEUE).context["skipped"] == []


@pytest.mark.parametrize("page", [QUEUE, f"{QUEUE}samples/s-0000/", REVIEWS, f"{REVIEWS}samples/s-0000/"])
def test_strangers_find_no_page_and_members_without_the_right_are_told(ana, rui, sam, page):
    to_annotate(1, annotator=ana, reviewer=rui)
    wrong = rui if page.startswith(QUEUE) else ana
    assert signed_in(sam).get(page).status_code == 404
    assert signed_in(wrong).get(page).status_code == 403


def test_the_page_of_a_sample_of_which_another_has_the_seat_opens_but_saves_nothing(ana, lea):
    benchmark = to_annotate(1, annotator=ana, lead=lea)
    sample = take_one(ana, benchmark)
    assert signed_in(lea).get(f"{QUEUE}samples/{sample.key}/").status_code == 200
    assert list(Lease.objects.values_list("user", flat=True)) == [ana.pk]
    release(ana, sample.pk, ANNOTATE)
    assert save_draft(actor=lea, sample=sample, version=0, content={}).version == 1


def test_a_lead_opens_both_pages_of_a_key_with_odd_letters(lea, ana):
    benchmark = to_annotate(1, annotator=ana, lead=lea)
    Sample.objects.update(key="kitchen/é 1?#.jpg")
    answer = signed_in(ana).post(f"{QUEUE}next/")
    assert signed_in(ana).get(answer["Location"]).context["studio"]["key"] == "kitchen/é 1?#.jpg"
    Lease.objects.all().delete()
    submitted(ana, benchmark)
    answer = signed_in(lea).post(f"{REVIEWS}next/")
    assert signed_in(lea).get(answer["Location"]).status_code == 200
