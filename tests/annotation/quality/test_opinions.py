"""Samples on which people disagree come first, and get one more person where the lead wants it."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Annotation, Sample
from annotation.queue.assignment import next_to_annotate
from annotation.queue.extra_annotators import set_extra_annotators
from annotation.queue.settings import set_queue
from annotation.review.write.adjudication import Verdict, adjudicate
from annotation.review.write.decisions import next_to_review
from annotation.workflow import Role
from tests.annotation.work_data import content, next_review, submitted, take_one, to_annotate
from tests.conftest import signed_in
from tests.factories import make_user
from tests.worlds import made_once
from webapp.common.errors import InvalidInput, NotAllowed

pytestmark = pytest.mark.django_db
APART = {"answer": ["A"], "gold_boxes": [{"box": [500, 500, 520, 515], "label": ""}]}


@made_once
def kitchen(ana, bo, rui, lea):
    """Three samples, each annotated by Ana and Bo; on the second they agree half, on the third not at all."""
    benchmark = to_annotate(3, annotator=[ana, bo], reviewer=rui, lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="disputed", overlap=2)
    return benchmark


def both(ana, bo, benchmark):
    for _ in range(3):
        submitted(ana, benchmark)
    for changes in ({}, {"answer": ["A"]}, APART):
        submitted(bo, benchmark, **changes)


def disagreements():
    return list(Sample.objects.order_by("key").values_list("disagreement", flat=True))


def waiting(rui):
    page = signed_in(rui).get("/benchmarks/kitchen/review/")
    return [row.sample.key for row in page.context["waiting"]]


def test_how_far_people_are_apart_is_kept_as_they_submit(ana, bo, kitchen):
    submitted(ana, kitchen)
    assert disagreements() == [None, None, None]
    submitted(bo, kitchen, answer=["A"])
    assert disagreements() == [0.5, None, None]


def test_reviewers_get_the_most_disagreement_first(ana, bo, rui, lea, kitchen):
    both(ana, bo, kitchen)
    assert disagreements() == [0, 0.5, 1]
    assert waiting(rui) == ["s-0002", "s-0001", "s-0000"]
    assert next_review(rui, kitchen).key == "s-0002"
    set_queue(actor=lea, benchmark=kitchen, order="sequential", overlap=2)
    assert next_to_review(actor=lea, benchmark=kitchen).key == "s-0000"


def test_low_agreement_brings_one_more_person_who_gets_it_first(ana, bo, rui, lea, kitchen):
    set_extra_annotators(actor=lea, benchmark=kitchen, extra_below=0.6, extra_most=1)
    both(ana, bo, kitchen)
    assert list(Sample.objects.order_by("key").values_list("extra_places", flat=True)) == [0, 1, 1]
    assert waiting(rui) == ["s-0000"]
    noor = make_user("Noor Bakker")
    add_member(actor=None, benchmark=kitchen, user=noor, role=Role.ANNOTATOR)
    assert next_to_annotate(actor=ana, benchmark=kitchen) is None
    third = take_one(noor, kitchen)
    assert third.key == "s-0002"
    sample = submitted(noor, kitchen, **APART)
    assert (sample.disagreement, sample.extra_places) == (pytest.approx(2 / 3), 1)
    assert take_one(noor, kitchen).key == "s-0001"
    assert waiting(rui) == ["s-0002", "s-0000"]


def test_each_dispute_opens_its_adjudication_for_who_can_decide_it(ana, bo, rui, lea, kitchen):
    both(ana, bo, kitchen)
    client = signed_in(lea)
    addresses = [f"/benchmarks/kitchen/review/adjudication/s-000{number}/" for number in (1, 2)]
    disputes = client.get("/benchmarks/kitchen/agreement/").context["pair"]["disputes"]
    assert sorted(one.href for one in disputes) == addresses
    page = client.get(reverse("annotation:second-opinions", args=["kitchen"])).content.decode()
    assert all(address in page for address in addresses)
    sample = next_review(rui, kitchen)
    adjudicate(actor=rui, sample=sample, verdict=Verdict("accept", content()))
    hrefs = {one.key: one.href for one in client.get("/benchmarks/kitchen/agreement/").context["pair"]["disputes"]}
    assert hrefs[sample.key] == f"/benchmarks/kitchen/samples/{sample.key}/"
    own = signed_in(ana).get("/benchmarks/kitchen/agreement/").context["pair"]["disputes"]
    assert not [one for one in own if "adjudication" in one.href]


def test_one_annotator_each_is_never_weighed(ana, bo, lea, kitchen, django_assert_num_queries):
    set_queue(actor=lea, benchmark=kitchen, order="disputed", overlap=1)
    set_extra_annotators(actor=lea, benchmark=kitchen, extra_below=1, extra_most=1)
    submitted(ana, kitchen)
    assert disagreements() == [None, None, None]


def test_what_comes_back_is_weighed_again(ana, bo, rui, kitchen):
    both(ana, bo, kitchen)
    sample = next_review(rui, kitchen)
    adjudicate(actor=rui, sample=sample, verdict=Verdict("return", comments={"A": "Look again."}))
    author = Annotation.objects.select_related("author").get(sample=sample, state="returned").author
    submitted(author, kitchen, **(content() if author == bo else APART))
    assert Sample.objects.get(pk=sample.pk).disagreement == 0


def test_only_a_lead_asks_for_more_people(ana, lea, kitchen):
    with pytest.raises(NotAllowed):
        set_extra_annotators(actor=ana, benchmark=kitchen, extra_below=0.5, extra_most=1)
    with pytest.raises(InvalidInput):
        set_extra_annotators(actor=lea, benchmark=kitchen, extra_below=1.5, extra_most=1)
