"""IoA over several crops and several gold boxes, the population, and the quadrants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evaluation.metrics.columns import Quadrant
from evaluation.schema import Trajectory
from tests.unit.metrics_cases import multiple_choice, sample, score_all, score_one, zoom

ONE = sample(gold=[[0, 0, 10, 10]])
TWO = sample(gold=[[0, 0, 10, 10], [100, 0, 110, 20]])


def measures(found: Any) -> list[float]:
    return [round(float(v[0]), 9) for v in (found.coverage, found.concentration, found.ioa)]


def test_the_worked_example_of_ioa() -> None:
    found = score_one(ONE, zoom([5, 0, 25, 10]))
    assert measures(found) == [0.5, 0.25, 0.5]
    assert found.iou[0] == pytest.approx(50 / 250)


def test_ioa_exactly_at_the_threshold_is_not_grounded() -> None:
    assert not score_one(ONE, zoom([5, 0, 25, 10])).grounded[0]
    assert score_one(ONE, zoom([4.99, 0, 25, 10])).grounded[0]
    assert score_one(ONE, zoom([5, 0, 25, 10]), settings={"ioa_threshold": 0.4}).grounded[0]


def test_a_rounding_error_above_the_threshold_is_equal_to_it() -> None:
    third = sample(gold=[[0, 0, 0.3, 10]])
    found = score_one(third, zoom([0.1 + 0.2 - 0.15, 0, 500, 10]))
    assert abs(found.ioa[0] - 0.5) < 1e-9
    assert not found.grounded[0]


@pytest.mark.parametrize(
    ("multi_gold", "expected"),
    [
        ("union", [100 / 300, 100 / 400, 100 / 300]),
        ("any", [1, 0.25, 1]),
        ("all", [0, 0, 0]),
        ("mean", [0.5, 0.125, 0.5]),
    ],
)
def test_several_gold_boxes(multi_gold: str, expected: list[float]) -> None:
    found = score_one(TWO, zoom([0, 0, 40, 10]), settings={"multi_gold": multi_gold})
    assert measures(found) == pytest.approx(expected)


def test_overlapping_gold_boxes_count_once() -> None:
    overlapping = sample(gold=[[0, 0, 10, 10], [5, 0, 15, 10]])
    assert measures(score_one(overlapping, zoom([0, 0, 10, 10]))) == pytest.approx([100 / 150, 1, 1])


@pytest.mark.parametrize(
    ("multi_crop", "expected", "index"),
    [
        ("best", [0.8, 0.8, 0.8], 1),
        ("first", [0.2, 0.2, 0.2], 0),
        ("last", [0.5, 0.5, 0.5], 2),
        ("union", [0.8, 0.5, 0.8], -1),
        ("mean", [0.5, 0.5, 0.5], -1),
    ],
)
def test_several_crops(multi_crop: str, expected: list[float], index: int) -> None:
    steps = zoom([8, 0, 18, 10]), zoom([2, 0, 12, 10]), zoom([5, 0, 15, 10])
    found = score_one(ONE, *steps, settings={"multi_crop": multi_crop})
    assert measures(found) == pytest.approx(expected)
    assert found.crop_index[0] == index


def test_of_equal_crops_the_earliest_is_the_best() -> None:
    found = score_one(ONE, zoom([50, 50, 60, 60]), zoom([0, 0, 30, 10]), zoom([0, 0, 10, 10]))
    assert found.crop_index[0] == 1


@pytest.mark.parametrize("multi_crop", ["union", "mean"])
def test_a_single_usable_crop_gives_the_score_under_union_and_mean_too(multi_crop: str) -> None:
    found = score_one(ONE, zoom([1, 1, 1, 1]), zoom([5, 0, 25, 10]), settings={"multi_crop": multi_crop})
    assert (found.crop_index[0], found.crop_box[0].tolist()) == (1, [5, 0, 25, 10])


def test_the_scoring_crop_has_its_centre_and_zoom() -> None:
    found = score_one(ONE, zoom([0, 0, 20, 20]))
    assert found.center_hit[0] == 1
    assert found.zoom_factor[0] == pytest.approx((800_000 / 400) ** 0.5)


def test_a_population_row_without_a_usable_crop_scores_zero() -> None:
    found = score_one(ONE, zoom([0, 0, 10, 10], ok=False))
    assert measures(found) == [0, 0, 0]
    assert (found.in_population[0], found.crop_index[0], found.center_hit[0]) == (True, -1, -1)
    assert np.isnan(found.zoom_factor[0])


@pytest.mark.parametrize(
    ("no_crop", "inside", "grounded"), [("exclude", False, -1), ("fail", True, 0), ("full_image", True, 1)]
)
def test_a_sample_without_a_zoom_call(no_crop: str, inside: bool, grounded: int) -> None:
    """D1.2: outside the population it is neither grounded nor ungrounded."""
    found = score_one(ONE, settings={"no_crop": no_crop})
    assert (found.in_population[0], found.grounded[0], found.invoked[0]) == (inside, grounded, False)
    assert found.cropped_region_size[0] == 0
    if no_crop == "full_image":
        assert found.crop_box[0].tolist() == [0, 0, 1000, 800]
        assert measures(found) == pytest.approx([1, 100 / 800_000, 1])
    if no_crop == "exclude":
        assert np.isnan(found.ioa[0])
        assert found.quadrant[0] == Quadrant.OUTSIDE


@pytest.mark.parametrize("gold", [[], [[1000, 0, 1100, 50]]])
def test_a_sample_without_gold_in_its_picture_is_not_scorable(gold: list[list[float]]) -> None:
    found = score_one(sample(gold=gold), zoom([0, 0, 10, 10]), settings={"no_crop": "fail"})
    assert (found.scorable[0], found.in_population[0]) == (False, False)
    assert np.isnan(found.step_coverage).all()


def test_gold_is_clipped_to_the_picture() -> None:
    assert measures(score_one(sample(gold=[[990, 0, 1010, 10]]), zoom([990, 0, 1000, 10]))) == [1, 1, 1]


def test_coverage_after_each_call_never_decreases_and_counts_overlaps_once() -> None:
    steps = zoom([0, 0, 5, 10]), zoom([0, 0, 3, 10]), zoom([0, 0, 9, 9], ok=False), zoom([4, 0, 8, 10])
    found = score_one(ONE, *steps)
    assert found.step_coverage.tolist() == pytest.approx([0.5, 0.5, 0.5, 0.8])


def test_coverage_so_far_is_of_the_union_of_the_gold_whatever_scores() -> None:
    found = score_one(TWO, zoom([0, 0, 10, 10]), zoom([100, 0, 110, 10]), settings={"multi_gold": "all"})
    assert found.step_coverage.tolist() == pytest.approx([1 / 3, 2 / 3])


def test_the_worked_example_of_the_quadrants() -> None:
    content = multiple_choice("C")
    records = [sample(f"s{i}", gold=[[0, 0, 10, 10]], **content) for i in range(10)]
    hit, miss = (zoom([0, 0, 10, 10]),), (zoom([500, 500, 600, 600]),)
    plan = [(hit, "C"), (hit, "C"), (hit, "A"), (miss, "C"), *[((), "C")] * 5, ((), "A")]
    runs = [Trajectory("m", f"s{i}", steps=steps, answer=answer) for i, (steps, answer) in enumerate(plan)]
    found = score_all(records, runs)
    assert (found.correct == 1).sum() == 8
    assert found.invoked.sum() == found.in_population.sum() == 4
    assert np.bincount(found.quadrant[found.in_population], minlength=4).tolist() == [2, 1, 1, 0]


@pytest.mark.parametrize(("setting", "quadrant"), [("incorrect", Quadrant.GPAM), ("exclude", Quadrant.OUTSIDE)])
def test_an_undecided_answer_counts_as_wrong_or_leaves_the_quadrants(setting: str, quadrant: int) -> None:
    record = sample(gold=[[0, 0, 10, 10]], answers=("white",))
    found = score_one(record, zoom([0, 0, 10, 10]), answer="snow", settings={"undecided_answer": setting})
    assert (found.quadrant[0], found.correct[0], found.undecided[0]) == (quadrant, -1, True)
    assert found.in_population[0] == (setting == "incorrect")


def test_visual_evidence_needs_a_successful_call_that_returned_a_picture() -> None:
    assert score_one(ONE, zoom([0, 0, 1, 1])).visual_evidence[0]
    assert not score_one(ONE, zoom([0, 0, 1, 1], ok=False), zoom([0, 0, 1, 1], image_out=None)).visual_evidence[0]
