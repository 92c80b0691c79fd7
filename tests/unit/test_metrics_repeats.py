"""Several rollouts of one sample: each sample is averaged first, and the draws are told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.intervals import mean_interval, rate_interval
from evaluation.metrics.repeats import Rollouts, repeated, rollout_statistics

ANSWERS = st.lists(st.lists(st.booleans(), min_size=2, max_size=5), min_size=1, max_size=30)


def rollouts(*samples, pictures=None):
    """Right (1) or wrong (0) in each rollout of each sample, the first one first; each sample its own picture."""
    sizes = [len(one) for one in samples]
    of = np.repeat(np.arange(len(samples)), sizes)
    cluster = np.arange(len(samples)) if pictures is None else np.array(pictures)
    first = np.concatenate([[True] + [False] * (size - 1) for size in sizes])
    return Rollouts(of, np.concatenate(samples).astype(float), first, cluster[of])


@pytest.mark.parametrize(
    ("samples", "value", "within", "variance_of_draws", "split", "first"),
    [
        ([[1, 1], [1, 0]], 0.75, 0.5 / 2, 0.25 / 4, (1, 1, 0), 1.0),
        ([[1, 1], [1, 1]], 1.0, 0.0, 0.0, (2, 0, 0), 1.0),
        ([[0, 0], [0, 0, 0]], 0.0, 0.0, 0.0, (0, 0, 2), 0.0),
        # Unequal: 1/4 and 1 are averaged to 5/8, not 3/6; 3/4 over 3 + 1; a sample of four draws less than one of two.
        ([[0, 0, 0, 1], [1, 1]], 5 / 8, 0.75 / 4, 0.75 / 4 * (1 / 4 + 1 / 2) / 4, (1, 1, 0), 0.5),
        ([[0, 1]], 0.5, 0.5, 0.5 / 2, (0, 1, 0), 0.0),
    ],
)
def test_by_hand(samples, value, within, variance_of_draws, split, first):
    found = rollout_statistics(rollouts(*samples))
    assert (found.value, found.within, found.se_draws**2) == pytest.approx((value, within, variance_of_draws))
    assert (found.always, found.some, found.never) == split
    assert found.first == first
    assert (found.n, found.rollouts) == (len(samples), sum(map(len, samples)))
    assert (found.least, found.most) == (min(map(len, samples)), max(map(len, samples)))


def test_a_sample_with_one_rollout_is_left_out():
    found = repeated(rollouts([1], [0, 1], [1]))
    assert (found.sample.tolist(), found.first.tolist()) == ([1, 1], [True, False])


def test_without_a_repeated_sample_there_is_nothing_to_say():
    assert rollout_statistics(repeated(rollouts([1], [0]))) is None


@given(ANSWERS)
def test_it_is_what_numpy_says_sample_by_sample(answers):
    found = rollout_statistics(rollouts(*answers))
    means = [np.mean(one) for one in answers]
    squares = sum(((np.array(one) - mean) ** 2).sum() for one, mean in zip(answers, means, strict=True))
    sizes = np.array([len(one) for one in answers])
    assert found.value == pytest.approx(np.mean(means))
    assert found.within == pytest.approx(squares / (sizes - 1).sum())
    assert found.se_draws**2 == pytest.approx(sum(found.within / sizes) / len(answers) ** 2)
    assert found.always + found.some + found.never == found.n == len(answers)
    assert found.mean == pytest.approx(sizes.mean())
    if len(answers) > 1:
        assert found.se == pytest.approx(np.std(means, ddof=1) / np.sqrt(len(answers)), abs=1e-9)


@given(st.integers(2, 6).flatmap(lambda k: st.lists(st.lists(st.booleans(), min_size=k, max_size=k), min_size=2)))
def test_of_equally_many_the_draws_are_within_over_all_and_both_parts_are_the_whole(answers):
    found, table = rollout_statistics(rollouts(*answers)), np.array(answers, float)
    n, k = table.shape
    assert found.se_draws**2 == pytest.approx(found.within / (k * n))
    # The law of total variance: within the samples, and between them.
    assert table.var() == pytest.approx(found.within * (k - 1) / k + table.mean(axis=1).var())


@given(ANSWERS, st.randoms(use_true_random=False))
def test_the_order_of_rollouts_and_samples_is_nothing_to_it(answers, random):
    rows = rollouts(*answers, pictures=[place // 2 for place in range(len(answers))])
    order = np.array(random.sample(range(len(rows.sample)), len(rows.sample)))
    other = Rollouts(*(column[order] for column in (rows.sample, rows.right, rows.first, rows.cluster)))
    assert plain(rollout_statistics(other)) == pytest.approx(plain(rollout_statistics(rows)))


def plain(found):
    return {name: getattr(found, name) for name in found.__slots__ if name not in ("ci_method", "detail", "ranges")}


@given(ANSWERS)
def test_the_interval_holds_the_value_and_is_never_without_width(answers):
    found = rollout_statistics(rollouts(*answers))
    assert 0 <= found.ci_low <= found.value <= found.ci_high <= 1
    assert found.ci_high - found.ci_low > 0.01


def test_the_interval_is_clustered_by_picture_and_wilsons_at_the_ends():
    answers = [[1, 0, 1]] * 8 + [[0, 0, 1]] * 12 + [[1, 1, 1]] * 8
    pictures = np.arange(28) // 4
    found = rollout_statistics(rollouts(*answers, pictures=pictures))
    one = mean_interval(np.array([np.mean(row) for row in answers]), pictures)
    assert (found.ci_low, found.ci_high, found.ci_method) == (one.low, one.high, "cluster-t")
    assert (found.clusters, found.detail["clusters"]) == (7, 7)
    sure = rollout_statistics(rollouts(*[[1, 1]] * 10))
    wilson = rate_interval(np.ones(10), None)
    assert (sure.ci_low, sure.ci_high, sure.ci_method) == (wilson.low, 1.0, "wilson")


def test_a_first_rollout_that_does_not_count_is_in_no_share_of_first_ones():
    rows = rollouts([1, 1], [0, 1])
    found = rollout_statistics(replace(rows, first=np.array([False, False, True, False])))
    assert (found.first_n, found.first_right, found.first) == (1, 0, 0.0)
    assert rollout_statistics(replace(rows, first=np.zeros(4, bool))).first is None
