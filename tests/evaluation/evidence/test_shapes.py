"""Conditions without gold cover polygons too, and only their area."""

from __future__ import annotations

import pytest

from annotation.models import Annotation, Benchmark, GoldBox, GoldShape, Revision, Sample
from evaluation.common.evidence import boxes_of, polygons_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_a_condition_knows_boxes_polygons_and_points_in_their_order() -> None:
    sample = Sample.objects.create(benchmark=Benchmark.objects.create(slug="mugs", title="Mugs"), key="mug")
    revision = Revision.objects.create(
        annotation=Annotation.objects.create(sample=sample, kind="imported"), number=1, digest="0" * 64,
        answer_type="open", question="?",
    )  # fmt: skip
    corners = [[10, 10], [50, 10], [10, 90]]
    GoldShape.objects.create(revision=revision, position=0, kind="polygon", points=corners)
    GoldBox.objects.create(revision=revision, position=1, x1=1, y1=2, x2=3, y2=4)
    GoldShape.objects.create(revision=revision, position=2, kind="point", points=[[7, 8]])
    assert boxes_of(revision) == [(10, 10, 50, 90), (1, 2, 3, 4), (6, 7, 7, 8)]
    assert {at: [list(point) for point in points] for at, points in polygons_of(revision).items()} == {0: corners}
