"""The quadrants at every threshold, and the densities of crops and gold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.statistics import wilson
from evaluation.metrics.columns import TRUE
from evaluation.metrics.heatmap import COLUMNS, NO_CELL, ROWS, cells_of_boxes, crop_cells, density, heat_map, in_units
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.thresholds import STEPS, quadrant_intervals, quadrants_by_threshold, ranks_by_threshold
from tests.unit.metrics_cases import random_run


def counts(ioa, correct, population=None):
    inside = np.ones(len(ioa), bool) if population is None else np.array(population)
    return quadrants_by_threshold(np.array(ioa, float), np.array(correct, bool), inside)


@pytest.mark.parametrize(
    ("ioa", "grounded"),
    [
        (0.5, 50),  # exactly at .50: above .00 to .49
        (0.5 + 1e-10, 50),  # equal within 1e-9
        (0.5 + 1e-8, 51),
        (0.0, 0),
        (1.0, 100),  # nothing is above 1
        (0.29, 29),  # a step that has no exact binary form
    ],
)
def test_a_row_is_grounded_at_the_thresholds_strictly_below_its_ioa(ioa, grounded):
    table = counts([ioa], [True])
    assert table[:, 0].tolist() == [1] * grounded + [0] * (STEPS + 1 - grounded)
    assert (table[:, 0] + table[:, 2] == 1).all()


def test_rows_outside_the_population_are_not_counted():
    assert counts([np.nan, 0.7], [True, False], [False, True])[50].tolist() == [0, 1, 0, 0]


def test_an_empty_population_has_zeros():
    assert counts([], []).shape == (STEPS + 1, 4)
    assert not counts([], []).any()


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=30))
def test_every_threshold_splits_the_same_population(rows):
    table = counts([ioa for ioa, _ in rows], [right for _, right in rows])
    assert (table.sum(axis=1) == len(rows)).all()
    assert (np.diff(table[:, 0]) <= 0).all()
    assert (np.diff(table[:, 1]) <= 0).all()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("threshold", [0.0, 0.25, 0.5, 1.0])
def test_the_row_of_the_scoring_threshold_is_the_scored_quadrants(seed, threshold):
    samples, run = random_run(seed, rows=40)
    scores = score_run(samples, run, MetricSettings(ioa_threshold=threshold))
    table = quadrants_by_threshold(scores.ioa, scores.correct == TRUE, scores.in_population)
    scored = np.bincount(scores.quadrant[scores.in_population], minlength=4)
    assert table[round(threshold * STEPS)].tolist() == scored.tolist()


def test_a_box_weighs_one_wherever_it_lies():
    grid = density(np.array([[0.0, 0.0, 1.0, 1.0], [0.1, 0.1, 0.13, 0.4]])).cells
    assert grid.shape == (ROWS, COLUMNS)
    assert grid.sum() == pytest.approx(1)


def test_a_box_in_one_cell_fills_that_cell_alone():
    grid = density(np.array([[0.51, 0.51, 0.6, 0.6]]), columns=2, rows=2).cells
    assert grid == pytest.approx(np.array([[0, 0], [0, 1]]))


def test_a_box_over_two_cells_is_split_by_area():
    assert density(np.array([[0.25, 0, 1, 0.5]]), columns=2, rows=2).cells[0] == pytest.approx([1 / 3, 2 / 3])


def test_no_boxes_are_nowhere():
    assert not density(np.zeros((0, 4))).cells.any()


def boxes_of(boxes, size=(1000.0, 800.0)):
    return in_units(np.array(boxes, float).reshape(-1, 4), np.tile(np.array(size), (len(boxes), 1)))


def test_boxes_are_cut_at_the_edges_and_empty_or_unknown_ones_are_left_out():
    boxes = [[-100, 400, 500, 900], [10, 10, 10, 20], [1100, 0, 1200, 10], [np.nan, 0, 1, 1]]
    assert boxes_of(boxes).tolist() == [[0, 0.5, 0.5, 1]]
    assert len(boxes_of([[0, 0, 10, 10]], (np.nan, 800.0))) == len(boxes_of([[0, 0, 10, 10]], (1000.0, 0.0))) == 0


def made(gold, *crops):
    return heat_map(boxes_of(crops), boxes_of([gold] if gold else []), 1)


def test_looked_at_is_positive_and_missed_gold_negative():
    # Gold in the top left ninth, the crop in the middle ninth of a picture of 1000 × 800.
    heat = made([0, 0, 300, 200], [400, 300, 600, 500])
    assert (heat.middle_crops, heat.middle_gold) == (pytest.approx(1), 0)
    assert heat.difference[0, 0] < 0 < heat.difference[ROWS // 2, COLUMNS // 2]
    assert heat.difference.sum() == pytest.approx(0, abs=1e-9)
    assert (heat.crops, heat.golds, heat.trajectories) == (1, 1, 1)


def test_a_crop_of_the_gold_cancels_it():
    assert made([100, 100, 300, 200], [100, 100, 300, 200]).difference == pytest.approx(0)


@pytest.mark.parametrize(("gold", "crops"), [(None, [[0, 0, 10, 10]]), ([0, 0, 9, 9], [])])
def test_without_crops_or_without_gold_there_is_no_map(gold, crops):
    assert made(gold, *crops) is None


def test_the_interval_of_every_threshold_is_that_of_the_rate():
    ioa, right = np.array([0.2, 0.6, 0.6, 0.9]), np.array([True, True, False, True])
    inside, alone = np.ones(4, bool), np.arange(4)
    found = quadrant_intervals(ioa, right, inside, alone)
    table = quadrants_by_threshold(ioa, right, inside)
    for step in (0, 20, 59, 60, 100):
        expected = [wilson(int(n), 4) for n in table[step]]
        assert found[step] == [(one.low, one.high) for one in expected]
    assert quadrant_intervals(ioa, right, ~inside, alone)[50] == [None] * 4


def test_ranks_share_a_place_and_an_empty_run_has_none():
    best, same = quadrants_of([9, 0, 1, 0]), quadrants_of([3, 0, 1, 0])
    ranks = ranks_by_threshold(np.array([same, best, same, quadrants_of([0, 0, 0, 0])]))
    assert ranks[:, 50].tolist() == [2, 1, 2, 0]


def quadrants_of(row):
    return [row] * (STEPS + 1)


@pytest.mark.parametrize(
    ("crop", "cell"), [([0, 0, 2, 2], (0, 0)), ([490, 390, 510, 410], (7, 12)), ([998, 798, 1000, 800], (13, 23))]
)
def test_a_scoring_crop_counts_in_the_cell_of_its_centre(crop, cell):
    found = cells_of_boxes(np.array([crop], float), np.array([[1000.0, 800.0]]), np.ones(1, bool))
    cells = crop_cells(np.append(found, NO_CELL))
    assert cells.shape == (ROWS, COLUMNS)
    assert (np.argwhere(cells).tolist(), cells.sum()) == ([list(cell)], 1)
