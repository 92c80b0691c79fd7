"""Statistics of the faithfulness lab: worked examples, properties, and planted effects."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.columns import UNKNOWN
from evaluation.metrics.intervals import clopper_pearson_upper
from evaluation.metrics.lab import (
    Draws,
    adjusted,
    arm_effect,
    changed_shares,
    clusters_to_decide,
    dose_trend,
    early_answering,
    falling,
    half_dose,
    restoration,
)


def draws(correct: object, said: object = None) -> Draws:
    table = np.array(correct, np.float64)
    table = table[:, None] if table.ndim == 1 else table
    answers = np.where(np.isnan(table), UNKNOWN, table).astype(np.int64) if said is None else np.array(said, np.int64)
    return Draws(table, answers)


def single(lost: int, gained: int, same: int) -> tuple[Draws, Draws]:
    sham = [1] * lost + [0] * gained + [1] * same
    arm = [0] * lost + [1] * gained + [1] * same
    return draws(arm), draws(sham)


def test_six_lost_and_four_gained_of_two_hundred_are_equivalent_within_five_points() -> None:
    arm, sham = single(6, 4, 190)
    found = arm_effect(arm, sham, np.arange(200), 0.05)
    assert found.delta == pytest.approx(-0.01)
    assert found.se == pytest.approx(0.0158, abs=5e-5)
    assert found.narrow == pytest.approx((-0.036, 0.016), abs=5e-4)
    assert found.detectable == pytest.approx(0.0444, abs=5e-4)
    assert found.p == pytest.approx(0.754, abs=5e-4)
    assert (found.equivalent, found.label()) == (True, "equivalent")


@pytest.mark.parametrize(("clusters", "equivalent"), [(59, True), (58, False)])
def test_without_a_change_59_clusters_are_needed_to_rule_out_five_points(clusters: int, equivalent: bool) -> None:
    found = arm_effect(draws([1] * clusters), draws([1] * clusters), np.arange(clusters), 0.05)
    assert found.p_equivalence is None
    assert found.equivalent is equivalent
    assert found.bound == pytest.approx(1 - 0.05 ** (1 / clusters))
    assert found.label() == ("equivalent" if equivalent else "undecided")


def test_a_large_cluster_widens_the_bound() -> None:
    cluster = np.array([0] * 11 + list(range(1, 90)))
    found = arm_effect(draws([1] * 100), draws([1] * 100), cluster, 0.05)
    assert found.clusters == 90
    assert found.bound == pytest.approx(90 * 11 / 100 * clopper_pearson_upper(0, 90))


@pytest.mark.parametrize(
    ("lost", "gained", "same", "label"),
    [(40, 2, 58, "effect"), (30, 4, 966, "small"), (6, 4, 20, "undecided"), (6, 4, 190, "equivalent")],
)
def test_each_conclusion_has_its_case(lost: int, gained: int, same: int, label: str) -> None:
    arm, sham = single(lost, gained, same)
    assert arm_effect(arm, sham, np.arange(lost + gained + same), 0.05).label() == label


def test_seeds_are_averaged_per_sample_and_missing_draws_left_out() -> None:
    arm = draws([[1, 0, np.nan], [0, 0, 0], [np.nan] * 3])
    sham = draws([[1, 1], [1, 0], [1, 1]])
    found = arm_effect(arm, sham, np.arange(3))
    assert (found.n, found.accuracy, found.sham) == (2, 0.25, 0.75)
    assert found.delta == pytest.approx(-0.5)


def test_nothing_in_common_is_undefined_and_not_zero() -> None:
    found = arm_effect(draws([np.nan, np.nan]), draws([1, 0]), np.arange(2))
    assert (found.n, found.delta, found.p, found.low, found.label()) == (0, None, None, None, "undecided")


def test_an_answer_can_change_while_accuracy_does_not() -> None:
    sham = draws([[0, 0], [0, 0]], [[1, 1], [2, 2]])
    arm = draws([[0], [0]], [[3], [4]])
    assert changed_shares(arm, sham) == (1.0, 0.0, 1.0)
    assert arm_effect(arm, sham, np.arange(2)).delta == 0


def test_churn_between_sham_seeds_is_taken_off() -> None:
    sham = draws([[1, 0]] * 4, [[1, 2]] * 4)
    arm = draws([[1]] * 4, [[1]] * 4)
    assert changed_shares(arm, sham) == (1.0, 1.0, 0.0), "draws of one number share a seed and are no pair"


def test_who_ignores_a_change_but_not_the_seed_has_no_excess() -> None:
    rng = np.random.default_rng(3)
    answers = rng.integers(0, 3, (300, 4))
    sham, arm = draws(answers == 0, answers), draws(answers[:, :3] == 0, answers[:, :3])
    changed, churn, excess = changed_shares(arm, sham)
    assert changed == pytest.approx(churn, abs=0.02)
    assert excess == pytest.approx(0, abs=0.02)


def test_unread_answers_are_in_no_share() -> None:
    sham = draws([[1, 1]], [[UNKNOWN, UNKNOWN]])
    assert changed_shares(draws([[1]], [[1]]), sham) == (None, None, None)


def test_only_confirmatory_arms_are_adjusted() -> None:
    effects = {
        name: arm_effect(*single(lost, 0, 50), np.arange(lost + 50)) for name, lost in (("a", 8), ("b", 5), ("c", 9))
    }
    found = adjusted(effects, ["a", "b"])
    assert set(found) == {"a", "b"}
    assert found["a"] == pytest.approx(2 * float(effects["a"].p or 0))
    assert found["b"] == pytest.approx(float(effects["b"].p or 0))


def test_the_trend_falls_with_the_dose_and_states_half_of_it() -> None:
    rng = np.random.default_rng(5)
    level = rng.random((200, 1))

    def at(p: float) -> Draws:
        return draws((level < p).astype(float))

    doses = {25.0: at(0.85), 50.0: at(0.7), 100.0: at(0.4)}
    found = dose_trend(doses, at(0.9), np.arange(200))
    assert found is not None
    assert found.doses == [0, 25, 50, 100]
    assert found.slope < 0
    assert found.p is not None
    assert found.p < 0.001
    assert list(found.fitted) == sorted(found.fitted, reverse=True)
    assert found.half is not None
    assert 50 <= found.half <= 100
    assert found.agreement[0] is None, "one sham seed says nothing about churn"


def test_a_flat_trend_has_no_half_dose() -> None:
    flat = draws([1, 0] * 20)
    found = dose_trend({50.0: flat, 100.0: flat}, flat, np.arange(40))
    assert found is not None
    assert (found.slope, found.half, found.p) == (0, None, 1.0)


@pytest.mark.parametrize(
    ("values", "fitted"),
    [([4, 3, 2], [4, 3, 2]), ([1, 2, 3], [2, 2, 2]), ([5, 1, 3, 2], [5, 2, 2, 2]), ([3], [3])],
)
def test_adjacent_violators_are_pooled(values: list[float], fitted: list[float]) -> None:
    assert falling(np.array(values, float), np.ones(len(values))).tolist() == fitted


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_the_fit_never_rises_and_keeps_the_mean(values: list[float]) -> None:
    found = falling(np.array(values), np.ones(len(values)))
    assert all(one >= other - 1e-12 for one, other in pairwise(found))
    assert found.mean() == pytest.approx(float(np.mean(values)))


def test_half_of_a_fall_lies_on_the_line_between_doses() -> None:
    assert half_dose(np.array([0.0, 50.0, 100.0]), np.array([0.8, 0.8, 0.4])) == 75


def test_restoration_is_undefined_where_sham_is_always_correct() -> None:
    assert restoration(draws([1, 1]), draws([1, 1]), np.arange(2)).value is None
    found = restoration(draws([1] * 30 + [0] * 10), draws([1] * 20 + [0] * 20), np.arange(40))
    assert found.value == pytest.approx(0.5)
    assert found.interval is not None
    assert found.interval.low <= 0.5 <= found.interval.high


def test_an_answer_that_is_settled_at_once_has_no_area() -> None:
    sham = draws([[1, 1]] * 3, [[1, 1]] * 3)
    same, other = draws([[1]] * 3, [[1]] * 3), draws([[0]] * 3, [[2]] * 3)
    settled = early_answering({0.0: same, 0.25: same, 0.5: same, 0.75: same}, sham)
    assert (settled.area, settled.same) == (0, [1, 1, 1, 1, 1])
    late = early_answering({0.0: other, 0.25: other, 0.5: other, 0.75: other}, sham)
    assert late.area == pytest.approx(0.875)


@given(st.integers(1, 400), st.integers(0, 400))
def test_the_exact_bound_is_where_the_tail_is_five_percent(n: int, successes: int) -> None:
    k = min(successes, n)
    bound = clopper_pearson_upper(k, n)
    if k == n:
        assert bound == 1
    else:
        tail = math.fsum(math.comb(n, i) * bound**i * (1 - bound) ** (n - i) for i in range(k + 1))
        assert tail == pytest.approx(0.05, abs=1e-9)


def planted(rng: np.random.Generator, p: float, q: float, n: int = 200, seeds: int = 3) -> tuple[Draws, Draws]:
    """A model that is correct with probability p under sham and q under the arm; draws share the level of a sample."""
    own = rng.random(n)[:, None] * 0.4 - 0.2

    def table(share: float, number: int) -> Draws:
        return draws((rng.random((n, number)) < np.clip(share + own, 0, 1)).astype(float))

    return table(q, seeds), table(p, 4)


def test_intervals_cover_a_planted_effect_and_null_p_values_are_uniform() -> None:
    rng, covered, p_values, equivalent = np.random.default_rng(11), 0, [], 0
    for _ in range(200):
        arm, sham = planted(rng, 0.7, 0.5)
        found = arm_effect(arm, sham, np.arange(200))
        covered += bool(found.low is not None and found.high is not None and found.low <= -0.2 <= found.high)
        null = arm_effect(*planted(rng, 0.6, 0.6, 600), np.arange(600), 0.1)
        p_values.append(float(null.p or 0))
        equivalent += null.equivalent
    assert covered >= 186
    apart = np.abs(np.sort(p_values) - (np.arange(200) + 0.5) / 200).max()
    assert apart < 1.63 / math.sqrt(200), "Kolmogorov-Smirnov at 1 %"
    assert equivalent >= 190


def levels(seed: int, n: int = 400) -> np.ndarray:
    """(n, 4) what decides whether an answer is correct: of a sample and a draw, under every arm."""
    return np.random.default_rng(seed).random((n, 4))


def at(level: np.ndarray, p: float, seeds: int = 3) -> Draws:
    return draws((level[:, :seeds] < p).astype(float))


def test_lab_planted_effects_and_trends_of_a_reader_are_found() -> None:
    """100 fixed seeds, n = 400: correct with probability .9, and .4 without its crops."""
    covered = found = 0
    for seed in range(100):
        level, other, single = levels(seed), levels(1000 + seed), np.arange(400)
        sham = at(level, 0.9, 4)
        effect = arm_effect(at(other, 0.4), sham, single)
        covered += bool(effect.low is not None and effect.high is not None and effect.low <= -0.5 <= effect.high)
        trend = dose_trend({x: at(levels(2000 + seed), 0.9 - 0.005 * x) for x in (25.0, 50.0, 100.0)}, sham, single)
        found += bool(trend and trend.p is not None and trend.p < 0.05)
    assert covered >= 90
    assert found == 100


def test_lab_planted_indifference_of_an_ignorer_is_equivalent_and_sham_rejects_no_more_than_by_chance() -> None:
    """100 fixed seeds, n = 400. The answer of an ignorer depends on the sample and the draw, not on the arm."""
    equivalent = rejected = 0
    for seed in range(100):
        level, single = levels(seed), np.arange(400)
        equivalent += arm_effect(at(level, 0.7), at(level, 0.7, 4), single).equivalent
        p = arm_effect(at(levels(3000 + seed), 0.7, 4), at(level, 0.7, 4), single).p
        rejected += p is not None and p < 0.05
    assert equivalent >= 95
    assert rejected <= 10


def test_about_as_many_images_decide_as_the_formula_says() -> None:
    same = Draws(np.ones((10, 3)), np.zeros((10, 3), int))
    assert clusters_to_decide(arm_effect(same, same, np.arange(10))) == 59
    lost = np.ones((20, 1))
    lost[:3] = 0
    worse = Draws(lost, lost.astype(int))
    found = arm_effect(worse, Draws(np.ones((20, 1)), np.zeros((20, 1), int)), np.arange(20))
    needed = clusters_to_decide(found)
    assert found.label() == "undecided"
    assert needed is not None
    again = arm_effect(
        Draws(np.resize(lost, (needed + 20, 1)), np.zeros((needed + 20, 1), int)),
        Draws(np.ones((needed + 20, 1)), np.zeros((needed + 20, 1), int)),
        np.arange(needed + 20),
    )
    assert again.label() == "effect"
    assert clusters_to_decide(arm_effect(same.of(np.array([], int)), same.of(np.array([], int)), np.arange(0))) is None
