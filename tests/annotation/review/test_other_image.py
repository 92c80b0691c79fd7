"""Annotations of a sample whose image was replaced between them: all boxes are in pixels of the image it has now."""

from __future__ import annotations

import pytest

from annotation.models import AdjudicationRule, Benchmark, Gold, Sample
from annotation.queue.settings import set_queue
from annotation.review.present.comparison import comparison_json
from annotation.review.write.adjudication import Verdict, adjudicate
from annotation.review.write.decisions import Decision, answer_blind, decide
from tests.annotation.two_annotators import kitchen
from tests.annotation.work_data import another_size, content, next_review, submitted
from tests.conftest import signed_in
from webapp.accounts.models import User
from webapp.common.errors import Conflict

__all__ = ["kitchen"]
pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
TWICE = [{"box": [200, 200, 240, 230], "label": "mug"}]


def on_two_images(ana: User, bo: User, lea: User, benchmark: Benchmark, new: tuple[int, int], **changes: object):
    """Ana's annotation on the first image, Bo's on that which replaced it."""
    another_size(submitted(ana, benchmark), new, lea)
    return submitted(bo, benchmark, gold_boxes=TWICE, **changes)


def annotations(rui: User, sample: Sample) -> dict[str | None, list[list[int]]]:
    """Boxes by how the image differs from that of the sample."""
    shown = comparison_json(rui, sample)["annotations"]
    return {one["other_image"]: [box["box"] for box in one["content"]["gold_boxes"]] for one in shown}


def test_boxes_on_an_image_of_another_size_agree_in_pixels_of_the_new_one(
    kitchen: Benchmark, ana: User, bo: User, lea: User
) -> None:
    AdjudicationRule.objects.create(benchmark=kitchen, number=1, when_agreed="accept")
    sample = on_two_images(ana, bo, lea, kitchen, (2000, 1600))
    [box] = Gold.objects.get(sample=sample).revision.gold_boxes.all()
    assert [box.x1, box.y1, box.x2, box.y2] == [200, 200, 240, 230]


def test_an_adjudicator_sees_and_accepts_scaled_boxes(
    kitchen: Benchmark, ana: User, bo: User, rui: User, lea: User
) -> None:
    sample = on_two_images(ana, bo, lea, kitchen, (2000, 1600), answer=["A"])
    assert annotations(rui, sample) == {"size": [[200, 200, 240, 230]], None: [[200, 200, 240, 230]]}
    page = signed_in(rui).get(f"/benchmarks/kitchen/review/adjudication/{sample.key}/").content.decode()
    assert "on an image of another size" in page
    adjudicate(actor=rui, sample=sample, verdict=Verdict("accept", content(gold_boxes=TWICE)))
    gold = Gold.objects.get(sample=sample).revision
    assert [box.x1 for box in gold.gold_boxes.all()] == [200]
    assert gold.annotation.kind == "adjudicated"


def test_a_kept_question_takes_its_boxes_along_in_pixels_of_the_new_image(
    kitchen: Benchmark, ana: User, bo: User, rui: User, lea: User
) -> None:
    sample = on_two_images(ana, bo, lea, kitchen, (2000, 1600), answer=["A"])
    adjudicate(actor=rui, sample=sample, verdict=Verdict("keep", letters=["A", "B"]))
    golds = Gold.objects.filter(sample__benchmark=kitchen)
    assert [[box.x1 for box in gold.revision.gold_boxes.all()] for gold in golds] == [[200], [200]]


def test_boxes_on_an_image_of_another_shape_are_left_out_and_people_decide(
    kitchen: Benchmark, ana: User, bo: User, rui: User, lea: User
) -> None:
    AdjudicationRule.objects.create(benchmark=kitchen, number=1, when_agreed="accept")
    sample = on_two_images(ana, bo, lea, kitchen, (800, 1000))
    assert sample.state == "disputed"
    assert annotations(rui, sample) == {"shape": [], None: [[200, 200, 240, 230]]}
    with pytest.raises(Conflict, match="another shape"):
        adjudicate(actor=rui, sample=sample, verdict=Verdict("keep", letters=["A", "B"]))
    assert not Gold.objects.exists()


@pytest.mark.parametrize(
    ("new", "boxes", "lost"), [((2000, 1600), [[200, 200, 240, 230]], False), ((800, 1000), [], True)]
)
def test_a_reviewer_sees_the_revision_before_on_the_image_of_now(
    kitchen: Benchmark, ana: User, rui: User, lea: User, new: tuple[int, int], boxes: list[list[int]], lost: bool
) -> None:
    set_queue(actor=lea, benchmark=kitchen, order="sequential", overlap=1)
    sample = submitted(ana, kitchen)
    about = {"reasons": [], "comment": "Draw it closer."}
    next_review(rui, kitchen)
    answer_blind(actor=rui, sample=sample, answer="B", unsure=False, seconds=4.5)
    decide(actor=rui, sample=sample, decision=Decision("return", **about))
    another_size(sample, new, lea)
    submitted(ana, kitchen, gold_boxes=TWICE)
    next_review(rui, kitchen)
    client, page = signed_in(rui), f"/benchmarks/kitchen/review/samples/{sample.key}/"
    blind = {"answer": "B", "unsure": False, "seconds": 2}
    client.post(f"/benchmarks/kitchen/review/blind/{sample.key}/", blind, content_type="application/json")
    answer = client.get(page)
    shown = answer.context["review"]
    assert [box["box"] for box in shown["previous"]["gold_boxes"]] == boxes
    assert shown["content"]["gold_boxes"][0]["box"] == [200, 200, 240, 230]
    assert ("Revision 1 was drawn on an image of another shape" in answer.content.decode()) == lost
