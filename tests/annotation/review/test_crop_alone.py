"""Answering blind from the gold crops alone, then from the picture, then gold."""

from __future__ import annotations

import json
import re

import pytest

from annotation.imaging.evidence import crop_area
from annotation.models import BenchmarkQueue, BlindAnswer, Review, Sample
from annotation.queue.blind.answers import next_condition
from annotation.queue.settings import set_queue
from annotation.review.write.decisions import Decision, answer_blind, decide, under_review
from annotation.schema import Box
from annotation.work_rules import BlindRule, Condition, blind_step
from tests.annotation.work_data import annotation_of, next_review, reviewed, submitted, to_annotate
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.common.errors import Conflict, InvalidInput, NotAllowed

pytestmark = pytest.mark.one_database

PICTURE, CROP, AFTER = Condition


@pytest.mark.parametrize(
    ("rule", "answered", "crops", "step"),
    [
        ("picture", [], True, PICTURE),
        ("crop", [], True, CROP),
        ("crop", [], False, PICTURE),
        ("crop", [CROP], True, AFTER),
        ("picture", [CROP], True, AFTER),
        ("crop", [CROP, AFTER], True, None),
        ("alternating", [PICTURE], True, None),
        ("off", [], True, None),
        ("off", [CROP], True, None),
    ],
)
def test_the_crop_comes_before_the_picture_and_the_picture_before_gold(rule, answered, crops, step):
    assert blind_step(BlindRule(rule), answered, crops=crops, draw="1 2 3") == step


def test_conditions_alternate_half_and_half_by_the_seed():
    steps = [blind_step(BlindRule.ALTERNATING, [], crops=True, draw=f"7 1 {number}") for number in range(1000)]
    assert 450 < steps.count(CROP) < 550
    assert steps[:9] == [blind_step(BlindRule.ALTERNATING, [], crops=True, draw=f"7 1 {number}") for number in range(9)]


@pytest.mark.parametrize(
    ("box", "margin", "area"),
    [
        (Box(100, 50, 140, 70), 0, Box(100, 50, 140, 70)),
        (Box(100, 50, 140, 70), 0.25, Box(90, 40, 150, 80)),
        (Box(0.5, 0.5, 10.5, 4.5), 1, Box(0, 0, 21, 15)),
        (Box(180, 90, 200, 100), 1, Box(160, 70, 200, 100)),
    ],
)
def test_a_crop_has_its_margin_as_far_as_the_picture_reaches(box, margin, area):
    assert crop_area(200, 100, box, margin) == area


@made_once
def waiting(db, ana, rui, lea):
    benchmark = to_annotate(2, annotator=ana, reviewer=rui, lead=lea)
    sample = submitted(ana, benchmark)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", blind="crop", blind_margin=0.5)
    return sample


def page_of(user, sample):
    html = signed_in(user).get(f"/benchmarks/kitchen/review/samples/{sample.key}/").content.decode()
    found = re.search(r'<script id="review" type="application/json">(.*?)</script>', html, re.S)
    return html, json.loads(found[1])


def test_at_first_there_are_only_the_crops(rui, waiting):
    html, review = page_of(rui, waiting)
    assert (review["condition"], review["image"], review["blind"]) == ("crop", None, None)
    [crop] = review["crops"]
    assert (crop["src"].split("/")[-2], crop["width"], crop["height"]) == ("90,90,130,125", 40, 35)
    assert set(review["content"]) == {"question", "answer_type", "options"}
    assert "thumbnail.jpg" not in html
    assert "tiles/" not in html
    assert html.count("mug&quot;") == 0


def test_then_the_picture_with_nothing_chosen_beforehand_and_then_gold(rui, waiting):
    answer_blind(actor=rui, sample=waiting, answer="A", unsure=False, seconds=3, condition="crop")
    html, review = page_of(rui, waiting)
    assert (review["condition"], review["crops"], review["image"]["width"]) == ("after_crop", [], 1000)
    assert "From the crop you answered “black”." in " ".join(html.split())
    assert 'value="A"' in html
    assert " checked" not in html
    assert "gold_boxes" not in review["content"]
    with pytest.raises(Conflict, match="yourself"):
        decide(actor=rui, sample=waiting, decision=Decision("accept"))
    answer_blind(actor=rui, sample=waiting, answer="B", unsure=False, seconds=5, condition="after_crop")
    _, review = page_of(rui, waiting)
    assert (review["condition"], review["blind"]["answer"], review["blind"]["right"]) == (None, "B", True)
    decide(actor=rui, sample=waiting, decision=Decision("accept"))
    assert list(BlindAnswer.objects.order_by("pk").values_list("condition", "right", "seconds")) == [
        ("crop", False, 3),
        ("after_crop", True, 5),
    ]
    assert (Review.objects.get().blind_answer, Review.objects.get().blind_seconds) == ("B", 5)


def test_a_page_left_open_answers_nothing_it_did_not_show(rui, waiting):
    for _ in range(2):
        answer_blind(actor=rui, sample=waiting, answer="A", unsure=False, seconds=3, condition="crop")
    assert BlindAnswer.objects.count() == 1
    with pytest.raises(Conflict):
        answer_blind(actor=rui, sample=waiting, answer="B", unsure=False, seconds=3, condition="picture")
    client, address = signed_in(rui), f"/benchmarks/kitchen/review/blind/{waiting.key}/"
    body = {"answer": "A", "seconds": 1, "condition": "thumbnail"}
    assert client.post(address, body, content_type="application/json").status_code == 400


def test_who_knows_the_sample_begins_with_the_picture(ana, rui, waiting):
    answer_blind(actor=rui, sample=waiting, answer="B", unsure=False, seconds=3)
    reviewed(rui, waiting, "return", comment="Tighter.")
    submitted(ana, waiting.benchmark)
    sample = next_review(rui, waiting.benchmark)
    assert next_condition(rui, sample, under_review(rui, sample)[1]) == PICTURE


def test_a_sample_without_boxes_or_picture_begins_with_the_picture(rui, waiting):
    revision = annotation_of(waiting.annotations.get().author, waiting).revisions.get()
    Sample.objects.filter(pk=waiting.pk).update(image=None)
    assert next_condition(rui, Sample.objects.get(pk=waiting.pk), revision) == PICTURE


def test_only_a_lead_says_what_is_shown_first(rui, lea, waiting):
    with pytest.raises(NotAllowed):
        set_queue(actor=rui, benchmark=waiting.benchmark, order="sequential", blind="crop", blind_margin=0)
    with pytest.raises(InvalidInput):
        set_queue(actor=lea, benchmark=waiting.benchmark, order="sequential", blind="crop", blind_margin=3)
    client, address = signed_in(lea), "/benchmarks/kitchen/settings/queue/"
    form = {
        "order": "sequential",
        "overlap": "1",
        "overlap_share": "100",
        "overlap_mode": "shared",
        "review_share": "100",
        "lease_minutes": "15",
        "take_back_minutes": "0",
    }
    assert client.post(address, form | {"blind": "alternating", "blind_margin": "10"}).status_code == 302
    queue = BenchmarkQueue.objects.get()
    assert (queue.blind, queue.blind_margin) == ("alternating", 0.1)
    answer = client.post(address, form | {"blind": "alternating", "blind_margin": "300"})
    assert (answer.status_code, "A number from 0 to 200." in answer.content.decode()) == (400, True)
