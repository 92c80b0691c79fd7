"""Geometry of boxes and of unions of boxes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocotools import mask

from bench.plain_boxes import union_area
from evaluation.metrics import boxes
from evaluation.metrics.ragged import starts_of
from evaluation.metrics.regions import BoxSets, union_areas

GOLD = np.array([[0.0, 0.0, 10.0, 10.0]])

whole_boxes = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(1, 9), st.integers(1, 9)).map(
    lambda v: [float(v[0]), float(v[1]), float(v[0] + v[2]), float(v[1] + v[3])]
)


def test_the_worked_example_of_overlap() -> None:
    found = boxes.overlap(np.array([[5.0, 0.0, 25.0, 10.0]]), GOLD)
    assert (found.coverage[0], found.concentration[0], found.ioa[0]) == (0.5, 0.25, 0.5)


@pytest.mark.parametrize(
    ("crop", "coverage", "concentration"),
    [
        ([0, 0, 10, 10], 1.0, 1.0),
        ([0, 0, 1000, 1000], 1.0, 0.0001),  # a crop of everything covers the gold
        ([4, 4, 5, 5], 0.01, 1.0),  # a speck inside is concentrated
        ([10, 0, 20, 10], 0.0, 0.0),  # sharing an edge is no overlap
        ([20, 20, 30, 30], 0.0, 0.0),  # apart on both axes must not multiply to a positive area
    ],
)
def test_coverage_and_concentration(crop: list[float], coverage: float, concentration: float) -> None:
    found = boxes.overlap(np.array([crop], float), GOLD)
    assert (found.coverage[0], found.concentration[0]) == pytest.approx((coverage, concentration))
    assert found.ioa[0] == max(found.coverage[0], found.concentration[0])


def test_blocks_do_not_change_the_result() -> None:
    rng = np.random.default_rng(1)
    corner = rng.uniform(0, 50, (2 * boxes.BLOCK + 7, 2))
    crops = np.concatenate([corner, corner + rng.uniform(1, 50, corner.shape)], axis=1)
    gold = crops[::-1].copy()
    found, ratio = boxes.overlap(crops, gold), boxes.iou(crops, gold)
    parts = boxes.intersections(crops, gold)
    common = np.where(boxes.filled(parts), boxes.areas(parts), 0.0)
    np.testing.assert_allclose(found.coverage, common / boxes.areas(gold), atol=1e-12)
    np.testing.assert_allclose(ratio, common / (boxes.areas(gold) + boxes.areas(crops) - common), atol=1e-12)


def test_iou_is_that_of_pycocotools() -> None:
    rng = np.random.default_rng(2)
    corner = rng.uniform(0, 100, (200, 2))
    crops = np.concatenate([corner, corner + rng.uniform(1, 80, corner.shape)], axis=1)
    sides = np.concatenate([crops[:, :2], crops[:, 2:] - crops[:, :2]], axis=1)
    np.testing.assert_allclose(boxes.iou(crops, crops[:1]), mask.iou(sides, sides[:1], [0])[:, 0], atol=1e-12)


@pytest.mark.parametrize(
    ("box", "valid"),
    [
        ([0, 0, 1, 1], True),
        ([5, 0, 1, 1], False),
        ([0, 0, 0, 1], False),
        ([0, 0, np.inf, 1], False),
        ([np.nan, 0, 1, 1], False),
    ],
)
def test_a_reversed_empty_or_infinite_box_is_invalid(box: list[float], valid: bool) -> None:
    assert boxes.valid(np.array([box], float)).tolist() == [valid]


def test_clipping_leaves_what_lies_in_the_picture() -> None:
    given_boxes = np.array([[-5.0, -5.0, 5.0, 5.0], [90.0, 0.0, 200.0, 300.0], [100.0, 0.0, 120.0, 10.0]])
    found = boxes.clipped(given_boxes, np.full((3, 2), 100.0))
    assert found[:2].tolist() == [[0, 0, 5, 5], [90, 0, 100, 100]]
    assert np.isnan(found[2]).all()


def test_a_centre_on_the_border_is_in() -> None:
    crops = np.array([[5.0, 0.0, 15.0, 10.0], [5.1, 0.0, 15.1, 10.0]])
    assert boxes.center_in(crops, np.repeat(GOLD, 2, axis=0)).tolist() == [True, False]


def test_linear_zoom_is_the_root_of_the_ratio_of_areas() -> None:
    assert boxes.linear_zoom(GOLD, np.array([[100.0, 100.0]])).tolist() == [10.0]


@given(st.lists(st.lists(whole_boxes, max_size=7), max_size=6))
def test_union_areas_count_overlaps_once(sets: list[list[list[float]]]) -> None:
    flat = np.array([b for s in sets for b in s], float).reshape(-1, 4)
    found = union_areas(BoxSets(flat, starts_of(np.array([len(s) for s in sets], np.int64))))
    np.testing.assert_allclose(found, [union_area(s) for s in sets])


def test_a_large_set_is_swept_in_batches() -> None:
    squares = np.array([[i, 0, i + 2, 2] for i in range(600)], float)
    sets = BoxSets(np.concatenate([squares, squares]), np.array([0, 600, 1200]))
    assert union_areas(sets).tolist() == [1202, 1202]


def test_empty_boxes_and_empty_sets_have_no_area() -> None:
    sets = BoxSets(np.array([[3.0, 3.0, 1.0, 9.0]]), np.array([0, 1, 1]))
    assert union_areas(sets).tolist() == [0, 0]


def test_prefixes_hold_the_boxes_up_to_each() -> None:
    sets = BoxSets(np.arange(12.0).reshape(3, 4), np.array([0, 2, 3]))
    assert sets.prefixes().counts.tolist() == [1, 2, 1]
