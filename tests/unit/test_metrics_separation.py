"""When accuracy and grounding part: worked examples, what is never concluded, and planted series."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.columns import UNKNOWN, Ints
from evaluation.metrics.separation import Outcomes, flips, separation, smoothed


def outcomes(correct: object, grounded: object, cluster: object = None) -> Outcomes:
    a, g = np.array(correct, np.int64), np.array(grounded, np.int64)
    return Outcomes(a, g, np.arange(a.shape[1]) if cluster is None else np.array(cluster))


def series(rates: list[tuple[float, float]], n: int, seed: int, per_image: int = 1) -> Outcomes:
    """Steps with these rates of correct and grounded. Most samples keep their outcome from step to step: each has an
    ease of its own, shared by the samples of an image."""
    generator = np.random.default_rng(seed)
    cluster = np.arange(n) // per_image
    ease = np.repeat(generator.random(-(-n // per_image)), per_image)[:n]
    rows = []
    for side in (0, 1):
        noise = generator.random((len(rates), n))
        share = np.array([pair[side] for pair in rates])[:, None]
        rows.append(((0.7 * ease + 0.3 * noise) < share).astype(np.int64))
    return Outcomes(rows[0], rows[1], cluster)


def test_eight_images_that_become_correct_without_becoming_grounded_have_separated() -> None:
    found = separation(outcomes([[0] * 8, [1] * 8], [[1] * 8, [1] * 8]))
    [change] = found.changes
    assert (change.n, change.accuracy, change.grounding, change.apart) == (8, 1, 0, 1)
    assert change.p == change.p_holm == pytest.approx(2 / 2**8)
    assert found.first == 0


def test_five_images_are_too_few_however_large_the_difference() -> None:
    found = separation(outcomes([[0] * 5, [1] * 5], [[1] * 5, [1] * 5]))
    assert found.first is None
    assert not found.within_reach


def test_samples_of_one_image_count_once() -> None:
    found = separation(outcomes([[0] * 8, [1] * 8], [[1] * 8, [1] * 8], [0, 0, 1, 1, 2, 2, 3, 3]))
    [change] = found.changes
    assert (change.clusters, change.p) == (4, pytest.approx(2 / 2**4))
    assert found.first is None


def test_what_rises_together_has_not_separated() -> None:
    found = separation(outcomes([[0] * 50, [1] * 50], [[0] * 50, [1] * 50]))
    [change] = found.changes
    assert (change.accuracy, change.grounding, change.apart, change.p) == (1, 1, 0, 1)
    assert found.first is None


def test_grounding_that_falls_under_a_steady_accuracy_has_separated_too() -> None:
    found = separation(outcomes([[1] * 20, [1] * 20], [[1] * 20, [0] * 20]))
    assert found.first == 0
    assert found.changes[0].apart == 1


def test_holm_counts_every_later_step() -> None:
    a = [[0] * 8, [0] * 8, [0] * 8, [0] * 8, [0] * 8, [0] * 8, [0] * 8, [1] * 8]
    found = separation(outcomes(a, [[1] * 8] * 8))
    assert found.tested == 7
    assert found.changes[-1].p_holm == pytest.approx(7 * 2 / 2**8)
    assert found.first is None, "7 · .0078 = .055"


def test_a_step_without_common_samples_is_undefined_and_uncounted() -> None:
    a = [[0] * 8, [UNKNOWN] * 8, [1] * 8]
    found = separation(outcomes(a, [[1] * 8] * 3))
    assert (found.changes[0].n, found.changes[0].apart, found.changes[0].p) == (0, None, None)
    assert (found.tested, found.first) == (1, 1)


def test_one_step_has_nothing_to_compare() -> None:
    found = separation(outcomes([[0, 1]], [[1, 1]]))
    assert (list(found.changes), found.first, found.tested, found.within_reach) == ([], None, 0, False)


def test_samples_outside_the_population_of_either_step_are_left_out() -> None:
    found = separation(outcomes([[0, 0, 0], [1, 1, 1]], [[1, UNKNOWN, 1], [1, 1, UNKNOWN]]))
    assert found.changes[0].n == 1


SERIES = 200


@pytest.mark.parametrize(
    "rates",
    [[(0.5, 0.5)] * 6, [(0.4 + 0.05 * t, 0.4 + 0.05 * t) for t in range(6)], [(0.3, 0.7)] * 6],
    ids=["nothing changes", "both rise alike", "different levels"],
)
def test_false_alarms_are_rare_in_series_without_a_separation(rates: list[tuple[float, float]]) -> None:
    """At most 5 % of whole series; 10 % is the 99.8 % point of what 200 series with 5 % would show."""
    alarms = sum(separation(series(rates, 120, seed, per_image=2)).first is not None for seed in range(SERIES))
    assert alarms / SERIES <= 0.1


def test_a_planted_separation_is_found_at_its_step_and_not_before() -> None:
    rates = [(0.4, 0.4), (0.45, 0.45), (0.5, 0.5), (0.7, 0.5), (0.8, 0.5)]
    firsts = [separation(series(rates, 400, seed)).first for seed in range(100)]
    assert sum(first == 2 for first in firsts) >= 90
    assert sum(first is not None and first < 2 for first in firsts) <= 5


CODES = st.sampled_from([0, 1, UNKNOWN])


@given(st.lists(st.tuples(CODES, CODES, CODES, CODES), min_size=1, max_size=40))
def test_counts_of_what_flipped_agree_with_each_other(rows: list[tuple[int, int, int, int]]) -> None:
    a0, a1, g0, g1 = np.array(rows).T
    found = flips(outcomes([a0, a1], [g0, g1]))
    both = [row for row in rows if UNKNOWN not in row]
    assert found.quadrants.sum() == len(both)
    assert found.correct - found.incorrect == sum(b - a for a, b, _, _ in rows if UNKNOWN not in (a, b))
    assert found.grounded - found.ungrounded == sum(b - a for _, _, a, b in rows if UNKNOWN not in (a, b))
    stayed: Ints = np.diag(found.quadrants)
    assert stayed.sum() == sum((a, g) == (b, h) for a, b, g, h in both)
    change = separation(outcomes([a0, a1], [g0, g1])).changes[0]
    assert change.n == len(both)
    if both:
        assert change.apart == pytest.approx((change.accuracy or 0) - (change.grounding or 0))


def test_smoothing_keeps_what_is_undefined() -> None:
    assert smoothed([0.0, 3.0, 6.0], 3) == [1.5, 3.0, 4.5]
    assert smoothed([1.0, None, 3.0], 3) == [1.0, None, 3.0]
