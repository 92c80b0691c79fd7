"""How much more often a run is right when it is grounded (docs/metrics.md#ratios)."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.statistics import DRAWS, SEED
from evaluation.metrics.accuracy_gap import (
    accuracy_difference,
    difference_interval,
    grounded_difference,
    odds_ratio,
)
from evaluation.metrics.columns import Quadrant
from evaluation.metrics.thresholds import quadrants_by_threshold

FOUR = st.lists(st.integers(0, 50), min_size=4, max_size=4)


def rows(counts):
    return np.repeat(np.arange(4), counts)


def invented(clusters, each=4, seed=5):
    """Quadrants of pictures on which some are easier than others."""
    rng = np.random.default_rng(seed)
    easy = np.repeat(rng.normal(0, 1, clusters), each)
    seen = rng.random(clusters * each) < 1 / (1 + np.exp(-easy))
    right = rng.random(clusters * each) < 1 / (1 + np.exp(-easy - seen))
    return np.where(seen, 0, 2) + ~right, np.repeat(np.arange(clusters), each)


@pytest.mark.parametrize(
    ("counts", "difference", "odds", "halves"),
    [
        ([6, 2, 1, 3], 0.5, 9, False),  # 3/4 - 1/4; 18 / 2
        ([5, 5, 5, 5], 0, 1, False),
        ([1, 3, 2, 1], 1 / 4 - 2 / 3, 1 / 6, False),
        ([3, 0, 1, 2], 1 - 1 / 3, 3.5 * 2.5 / (0.5 * 1.5), True),  # a cell is 0
        ([4, 0, 0, 4], 1, 4.5 * 4.5 / 0.25, True),  # all right when grounded, none when not
        ([0, 4, 0, 4], 0, 1, True),  # never right
        ([0, 1, 0, 100], 0, 0.5 * 100.5 / (1.5 * 0.5), True),  # the halves alone lean
        ([0, 0, 3, 5], None, None, False),  # none is grounded
        ([3, 5, 0, 0], None, None, False),  # every one is
        ([0, 0, 0, 0], None, None, False),
    ],
)
def test_difference_and_odds_ratio_of_four_counts(counts, difference, odds, halves):
    assert accuracy_difference(counts) == pytest.approx(difference)
    assert odds_ratio(counts) == (pytest.approx(odds), halves)
    found = grounded_difference(rows(counts), np.arange(sum(counts)))
    assert (found.counts, found.value) == (counts, accuracy_difference(counts))
    assert (found.odds_ratio, found.halves_added) == odds_ratio(counts)


@given(FOUR)
def test_the_difference_leans_as_the_odds_do_and_right_for_wrong_turns_both(counts):
    difference, (odds, halves) = accuracy_difference(counts), odds_ratio(counts)
    a, b, c, d = counts
    if difference is None:
        assert odds is None
        assert 0 in (a + b, c + d)
        return
    assert -1 <= difference <= 1
    assert accuracy_difference([b, a, d, c]) == -difference
    assert odds_ratio([b, a, d, c])[0] == pytest.approx(1 / odds)
    if not halves:
        assert np.sign(difference) == np.sign(round(math.log(odds), 12))


def test_the_interval_is_that_of_resampled_pictures():
    quadrant, cluster = invented(60)
    rng, found = np.random.default_rng(SEED), []
    for drawn in rng.integers(0, 60, (DRAWS, 60)):
        taken = np.concatenate([quadrant[cluster == one] for one in drawn])
        right, seen = np.isin(taken, (Quadrant.GPAP, Quadrant.GMAP)), taken <= Quadrant.GPAM
        found.append(right[seen].mean() - right[~seen].mean())
    one = difference_interval(quadrant, cluster)
    assert (one.low, one.high) == pytest.approx(tuple(np.quantile(found, (0.025, 0.975))))
    assert (one.method, one.detail) == ("cluster-bootstrap", {"draws": DRAWS, "seed": SEED, "clusters": 60})


def test_of_very_many_pictures_it_is_the_clustered_t_and_nearly_the_same():
    quadrant, cluster = invented(2400, each=2)
    drawn, quick = (difference_interval(quadrant, cluster, draws=draws) for draws in (1000, DRAWS))
    assert (drawn.method, quick.method) == ("cluster-bootstrap", "cluster-t")
    assert (quick.low, quick.high) == pytest.approx((drawn.low, drawn.high), abs=0.005)
    assert (quick.low + quick.high) / 2 == pytest.approx(accuracy_difference(np.bincount(quadrant).tolist()))


def test_below_20_pictures_there_is_no_interval():
    few, enough = (grounded_difference(*invented(clusters)) for clusters in (19, 20))
    assert (few.clusters, few.ci_low, few.ci_high, few.ci_method) == (19, None, None, "")
    assert few.value is not None
    assert enough.ci_low < enough.value < enough.ci_high


def test_draws_without_the_one_grounded_picture_are_left_out_and_counted():
    found = grounded_difference(np.array([0] + [3] * 20 + [2] * 4), np.arange(25))
    assert found.detail["undefined_draws"] == pytest.approx(DRAWS * (24 / 25) ** 25, abs=60)
    assert 0 < found.ci_low < found.value < found.ci_high < 1


def test_who_is_in_no_quadrant_counts_for_nothing():
    quadrant, cluster = invented(30)
    more = np.concatenate([quadrant, np.full(500, Quadrant.OUTSIDE)])
    pictures = np.concatenate([cluster, np.arange(500)])
    assert grounded_difference(more, pictures) == grounded_difference(quadrant, cluster)


@pytest.mark.parametrize("clusters", [500, 2000, 40_000])
def test_forty_thousand_samples_take_less_than_a_second(clusters):
    """The draws of so many pictures are made once, and then kept for every ratio of the run."""
    quadrant, cluster = invented(clusters, each=40_000 // clusters)
    begun = time.process_time()
    assert grounded_difference(quadrant, cluster).ci_low is not None
    assert time.process_time() - begun < 1
    begun = time.process_time()
    grounded_difference(quadrant, cluster)
    assert time.process_time() - begun < 0.1  # a third of it on a quiet machine


def test_the_difference_at_every_threshold_takes_a_tenth_of_a_second():
    rng = np.random.default_rng(3)
    counts = quadrants_by_threshold(rng.random(40_000), rng.random(40_000) < 0.6, np.ones(40_000, bool)).tolist()
    begun = time.process_time()
    found = [(accuracy_difference(row), odds_ratio(row)) for row in counts]
    assert time.process_time() - begun < 0.1
    assert [value is None for value, _ in found] == [True] + [False] * 99 + [True]  # all are above 0, none above 1
