"""What runs looked at, as suggestions: last crops, agreement first, no baseline, nothing that tells gold."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import GoldBox, Sample
from annotation.schema import Box
from evaluation.models import Model
from evaluation.samples.read.boxes import suggest_boxes
from evaluation.schema import Trajectory
from tests.evaluation import records
from tests.evaluation.trajectory_data import scored_kitchen

pytestmark = pytest.mark.django_db


def looked(model, *box):
    return Trajectory(model, "mug", "base", steps=(records.zoom(*box),), answer="B")


def of_mug(lea, *trajectories):
    benchmark = scored_kitchen(lea, records.samples(), trajectories)
    return Sample.objects.select_related("benchmark").get(benchmark=benchmark, key="mug")


def test_the_last_crop_of_each_run_comes_in_order_of_agreement(lea):
    sample = of_mug(
        lea, looked("A", 700, 500, 760, 560), looked("B", 100, 100, 200, 150), looked("C", 102, 100, 200, 152),
        Trajectory("D", "mug", "base", answer="B"),
    )  # fmt: skip
    found = [(one.source, one.box, one.note) for one in suggest_boxes(sample)]
    assert found == [
        ("B, base", Box(100, 100, 200, 150), "2 of 3 runs here"),
        ("C, base", Box(102, 100, 200, 152), "2 of 3 runs here"),
        ("A, base", Box(700, 500, 760, 560), "1 of 3 runs here"),
    ]


def test_baselines_and_crops_of_most_of_the_picture_point_at_nothing(lea):
    sample = of_mug(lea, looked("Oracle", 100, 100, 200, 150), looked("Wide", 0, 0, 900, 700))
    Model.objects.filter(name="Oracle").update(baseline=True)
    assert suggest_boxes(sample) == []


def test_gold_makes_no_difference(lea):
    sample = of_mug(lea, looked("A", 700, 500, 760, 560), looked("B", 100, 100, 200, 150))
    before = suggest_boxes(sample)
    GoldBox.objects.filter(revision__gold_of__sample=sample).delete()
    assert suggest_boxes(Sample.objects.select_related("benchmark").get(pk=sample.pk)) == before


def test_more_runs_cost_no_more_queries(lea):
    counts = []
    sample = of_mug(lea, *(looked(f"Model {n}", 100 + n, 100, 200, 150) for n in range(6)))
    for kept in (6, 1):
        extra = sample.trajectories.values_list("pk", flat=True)[kept:]
        sample.trajectories.filter(pk__in=list(extra)).delete()
        with CaptureQueriesContext(connection) as queries:
            assert len(suggest_boxes(Sample.objects.get(pk=sample.pk))) == kept
        counts.append(len(queries))
    assert counts[0] == counts[1]
