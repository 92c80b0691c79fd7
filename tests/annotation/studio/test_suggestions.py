"""Boxes of models for annotators: only where the lead allows it, inside the picture, and their source is kept."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.content import suggestions
from annotation.content.revisions import revision_json
from annotation.content.suggestions import Suggestion, allow_suggestions, suggestions_for
from annotation.models import BenchmarkSchema, Revision, Sample
from annotation.queue.editor import studio_json
from annotation.schema import Box, Outline, OutlineKind
from annotation.studio.read.suggestions import suggest_predictions
from annotation.studio.write.submit import submit
from tests.annotation.work_data import annotation_of, content, submitted, take_one, to_annotate
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.common.errors import NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db
GIVEN = [
    Suggestion(Box(10, 10, 30, 30), "Model A", "2 of 2 runs here"),
    Suggestion(Box(990, 700, 1100, 900), "Model B"),
]


@pytest.fixture(autouse=True)
def one_source(monkeypatch):
    monkeypatch.setattr(suggestions, "_suggested", [lambda sample: [*GIVEN, Suggestion(Box(2000, 0, 2100, 9), "Far")]])


@made_once
def kitchen(ana, lea, rui):
    return to_annotate(2, annotator=ana, lead=lea, reviewer=rui)


def test_nothing_is_suggested_until_the_lead_allows_it(kitchen, ana, lea):
    sample = take_one(ana, kitchen)
    assert suggestions_for(sample) == []
    assert allow_suggestions(actor=lea, benchmark=kitchen, allowed=True)
    found = studio_json(ana, sample, {})["suggestions"]
    assert found == [
        {"box": [10, 10, 30, 30], "source": "Model A", "note": "2 of 2 runs here"},
        {"box": [990, 700, 1000, 800], "source": "Model B", "note": ""},
    ]
    assert not allow_suggestions(actor=lea, benchmark=kitchen, allowed=True)
    assert allow_suggestions(actor=lea, benchmark=kitchen, allowed=False)
    assert suggestions_for(sample) == []
    entries = AuditEntry.objects.filter(action="benchmark.suggestions").order_by("pk")
    assert [entry.data["allowed"] for entry in entries] == [True, False]


def test_the_rule_of_the_queue_stays_as_it_was(kitchen, lea):
    allow_suggestions(actor=lea, benchmark=kitchen, allowed=True)
    kitchen.refresh_from_db()
    assert (kitchen.queue.order, kitchen.queue.overlap, kitchen.queue.suggests) == ("sequential", 1, True)


def test_only_a_lead_allows_them(kitchen, ana):
    with pytest.raises(NotAllowed):
        allow_suggestions(actor=ana, benchmark=kitchen, allowed=True)


def test_submitted_work_is_shown_without_suggestions(kitchen, ana, lea):
    allow_suggestions(actor=lea, benchmark=kitchen, allowed=True)
    sample = submitted(ana, kitchen)
    assert studio_json(ana, sample, {})["suggestions"] == []


def test_an_adopted_box_keeps_its_source_in_the_revision(kitchen, ana):
    sample = take_one(ana, kitchen)
    boxes = [{"box": [10, 10, 30, 30], "label": "", "source": "Model A"}, {"box": [1, 1, 9, 9], "label": "mug"}]
    submit(actor=ana, sample=sample, version=0, content=content(gold_boxes=boxes))
    revision = Revision.objects.get(annotation=annotation_of(ana, sample))
    assert [box.source for box in revision.gold_boxes.all()] == ["Model A", ""]
    assert revision_json(revision)["gold_boxes"] == boxes


@pytest.mark.parametrize(("posted", "after"), [({"allowed": "on"}, True), ({}, False)])
def test_the_lead_switches_them_on_a_page_of_the_settings(kitchen, lea, posted, after):
    allow_suggestions(actor=lea, benchmark=kitchen, allowed=not after)
    client = signed_in(lea)
    address = "/benchmarks/kitchen/settings/suggestions/"
    assert client.post(address, posted).status_code == 302
    assert ("checked" in client.get(address).content.decode()) is after
    assert suggestions.allows_suggestions(kitchen) is after


def test_predictions_that_came_with_a_sample_are_suggested_the_surest_first():
    boxes = [
        {"box": [1, 1, 9, 9], "source": "v1", "label": "plate"},
        {"box": [5, 5, 9, 9], "source": "v1", "score": 0.25},
        {"box": [3, 3, 9, 9], "source": "v2", "score": 0.875},
        {"box": [9, 9, 1, 1], "source": "v3"}, {"box": "here"}, "nothing",
    ]  # fmt: skip
    assert suggest_predictions(Sample(extra={"predictions": boxes})) == [
        Suggestion(Box(3, 3, 9, 9), "v2", "score 0.88"),
        Suggestion(Box(5, 5, 9, 9), "v1", "score 0.25"),
        Suggestion(Box(1, 1, 9, 9), "v1 (2)", "plate"),
    ]
    assert suggest_predictions(Sample(extra={"predictions": "none"})) == []


def test_a_predicted_polygon_is_one_where_the_task_allows_polygons_and_else_its_box(kitchen, ana, lea, monkeypatch):
    points = [[1, 1], [9, 1], [1, 9]]
    sample = Sample.objects.filter(benchmark=kitchen).first()
    polygon = {"box": [1, 1, 9, 9], "points": points, "source": "v1"}
    sample.extra = {"predictions": [polygon, {"box": [2, 2, 4, 4], "points": [[1], 2], "source": "v2"}]}
    assert [one.box for one in suggest_predictions(sample)] == [Box(1, 1, 9, 9), Box(2, 2, 4, 4)]
    content = {"evidence": {"shapes": ["box", "polygon"]}}
    now = timezone.now()
    BenchmarkSchema.objects.create(benchmark=kitchen, number=9, state="active", activated_at=now, content=content)
    again = Sample.objects.get(pk=sample.pk)
    again.extra = sample.extra
    triangle = Outline.of(OutlineKind.POLYGON, [(1, 1), (9, 1), (1, 9)])
    assert [one.box for one in suggest_predictions(again)] == [triangle, Box(2, 2, 4, 4)]
    again.save()
    monkeypatch.setattr(suggestions, "_suggested", [suggest_predictions])
    allow_suggestions(actor=lea, benchmark=kitchen, allowed=True)
    shown = signed_in(ana).get(f"/benchmarks/kitchen/annotate/samples/{again.key}/").context["studio"]["suggestions"]
    assert [one.get("points") for one in shown] == [points, None]
