"""The evidence share of a sample: one number, wherever it is computed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.imaging.evidence import evidence_share
from annotation.models import Sample
from annotation.schema import Box
from evaluation.metrics.describe import evidence_shares
from evaluation.metrics.regions import BoxSets, union_areas
from evaluation.scoring.load.columns import load_samples
from tests.evaluation.records import samples

corner, length = st.integers(-20, 120), st.integers(1, 80)
boxes = st.lists(
    st.tuples(corner, corner, length, length).map(lambda b: Box(b[0], b[1], b[0] + b[2], b[1] + b[3])), max_size=6
)


@pytest.mark.parametrize(
    ("given_boxes", "expected"),
    [
        ([Box(0, 0, 10, 10)], 0.01),
        ([Box(0, 0, 10, 10), Box(0, 0, 10, 10)], 0.01),
        ([Box(0, 0, 10, 10), Box(5, 5, 15, 15)], 0.0175),
        ([Box(90, 90, 110, 110)], 0.01),
        ([Box(200, 200, 210, 210)], None),
        ([], None),
    ],
)
def test_overlaps_count_once_and_what_lies_outside_counts_nothing(
    given_boxes: list[Box], expected: float | None
) -> None:
    assert evidence_share(given_boxes, 100, 100) == pytest.approx(expected)


def test_without_a_size_there_is_no_share() -> None:
    assert evidence_share([Box(0, 0, 10, 10)], None, None) is None


@given(boxes)
def test_it_is_the_union_area_that_the_metrics_use(found: list[Box]) -> None:

    inside = [part for box in found if (part := box.clipped(100, 100))]
    corners = np.array([[b.x1, b.y1, b.x2, b.y2] for b in inside], float).reshape(-1, 4)
    [area] = union_areas(BoxSets(corners, np.array([0, len(inside)])))
    assert evidence_share(found, 100, 100) == pytest.approx(area / 10_000 if inside else None)


@pytest.mark.django_db
def test_what_is_stored_is_what_describes_the_benchmark() -> None:
    benchmark = create_benchmark(actor=None, slug="kitchen")
    save_samples(actor=None, benchmark=benchmark, records=samples())
    loaded = load_samples(benchmark)
    stored = dict(Sample.objects.values_list("pk", "evidence_share"))
    for pk, share in zip(loaded.pks, evidence_shares(loaded.columns), strict=True):
        assert stored[pk] == (None if math.isnan(share) else pytest.approx(share))
    assert sorted(filter(None, stored.values())) == pytest.approx([0.00625, 0.009])


@pytest.mark.django_db
def test_new_gold_changes_the_share_and_the_same_file_again_changes_nothing() -> None:
    benchmark = create_benchmark(actor=None, slug="kitchen")

    def save(**content: Any) -> tuple[int, float | None]:
        mug = next(record for record in samples() if record.id == "mug")
        records = [replace(mug, content=replace(mug.content, **content))]
        saved = save_samples(actor=None, benchmark=benchmark, records=records)
        return saved.unchanged, Sample.objects.get().evidence_share

    save()
    assert save() == (1, pytest.approx(0.00625))
    assert save(gold_boxes=(Box(0, 0, 100, 80),)) == (0, pytest.approx(0.01))
    assert save(gold_boxes=()) == (0, None)
