"""Drawing a stratified sample, and what people reach on it: worked examples, properties, and a script of its own that
follows the formulas of docs/metrics.md#people in whole fractions."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.metrics.people import OVER_BOTH, OVER_SAMPLES, WILSON, Answers, estimate, paired_difference
from evaluation.metrics.strata import draw_strata, largest_remainder, plan_strata

SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=12)


def named(sizes: list[int]) -> dict[str, int]:
    return {f"g{place}": size for place, size in enumerate(sizes)}


def test_small_groups_are_merged_with_their_neighbors() -> None:
    found = plan_strata({"a": 50, "b": 30, "c": 15, "d": 5}, 10)
    assert [(one.name, one.size, one.drawn) for one in found] == [("a", 50, 5), ("b", 30, 3), ("c | d", 20, 2)]
    # Nothing is left to merge the last one with but the smallest stratum.
    assert [one.groups for one in plan_strata({"a": 60, "b": 30, "c": 5}, 12)] == [("a",), ("b", "c")]
    assert [one.groups for one in plan_strata(named([1] * 6), 4)] == [("g0", "g1", "g2"), ("g3", "g4", "g5")]


def test_a_sample_that_is_no_sample_is_refused() -> None:
    for n in (1, 11):
        with pytest.raises(ValueError, match="between 2 and 10"):
            plan_strata({"a": 10}, n)


@given(SIZES, st.data())
def test_every_plan_is_proportional_and_draws_two_of_each_stratum(sizes: list[int], data: st.DataObject) -> None:
    total = sum(sizes)
    if total < 2:
        return
    n = data.draw(st.integers(2, total))
    found = plan_strata(named(sizes), n)
    assert sum(one.drawn for one in found) == n
    assert sorted(name for one in found for name in one.groups) == sorted(named(sizes))
    for one in found:
        assert 2 <= one.drawn <= one.size
        assert abs(one.drawn - n * one.size / total) < 1


@given(SIZES, st.integers(1, 200))
def test_largest_remainder_gives_away_exactly_n(sizes: list[int], n: int) -> None:
    found = largest_remainder(sizes, n)
    assert sum(found) == n
    for one, other, got, had in zip(sizes, sizes[1:], found, found[1:], strict=False):
        assert (got >= had) if one > other else True


def test_the_seed_decides_what_is_drawn_and_every_sample_is_as_likely() -> None:
    members = {"a": list(range(6)), "b": list(range(6, 10))}
    strata = plan_strata({name: len(found) for name, found in members.items()}, 5)
    assert draw_strata(members, strata, "x") == draw_strata(members, strata, "x")
    seen = np.zeros(10)
    for seed in range(4000):
        for drawn in draw_strata(members, strata, str(seed)):
            assert len(set(drawn)) == len(drawn)
            seen[drawn] += 1
    assert np.abs(seen / 4000 - 0.5).max() < 0.03


def by_hand(rows: list[tuple[int, int, Fraction]], stratum: list[int], sizes: list[int]) -> tuple[Fraction, Fraction]:
    """θ and Var of answers (sample, person, value)."""
    of_sample = defaultdict(list)
    for sample, _, value in rows:
        of_sample[sample].append(value)
    means = {sample: sum(values, Fraction(0)) / len(values) for sample, values in of_sample.items()}
    strata = defaultdict(list)
    for sample, mean in means.items():
        strata[stratum[sample]].append(mean)
    total = sum(sizes[h] for h in strata)
    theta = variance = Fraction(0)
    for h, values in strata.items():
        n, big, weight = len(values), sizes[h], Fraction(sizes[h], total)
        mean = sum(values, Fraction(0)) / n
        theta += weight * mean
        if n > 1:
            s2 = sum(((value - mean) ** 2 for value in values), Fraction(0)) / (n - 1)
            variance += weight**2 * (1 - Fraction(n, big)) * s2 / n
    return theta, variance


def study(seed: int, people: int, strata: int = 3, each: int = 4) -> tuple[Answers, list[tuple[int, int, int]]]:
    """A random study: at least two answered samples in each stratum, one to ``people`` answers on each."""
    source = random.Random(seed)
    stratum = [h for h in range(strata) for _ in range(each)]
    sizes = [each + source.randrange(0, 30) for _ in range(strata)]
    rows = []
    for sample in range(len(stratum)):
        for person in source.sample(range(people), source.randint(1, people)):
            rows.append((sample, person, source.randrange(2)))
    of = [np.array(column, np.int64) for column in zip(*rows, strict=True)]
    return Answers(of[0], of[1], np.array(stratum), np.array(sizes)), rows


def test_the_worked_example() -> None:
    answers = Answers(np.arange(4), np.zeros(4, np.int64), np.array([0, 0, 1, 1]), np.array([60, 40]))
    found = estimate(answers, np.array([1.0, 0, 1, 1]), np.ones(4), rate=True)
    assert found.value == pytest.approx(0.7)
    assert found.variance == pytest.approx(0.36 * (58 / 60) * 0.5 / 2)
    assert found.n_eff == pytest.approx(0.7 * 0.3 / 0.087)
    assert found.interval is not None
    assert found.interval.method == WILSON
    z, n = 1.959963984540054, 0.7 * 0.3 / 0.087
    center = (0.7 + z * z / 2 / n) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(0.7 * 0.3 / n + z * z / 4 / n / n)
    assert (found.interval.low, found.interval.high) == pytest.approx((center - half, center + half))


@pytest.mark.parametrize("seed", range(200))
def test_human_study_estimates_and_variances_equal_those_of_the_script(seed: int) -> None:
    answers, rows = study(seed, people=1 + seed % 4)
    theta, variance = by_hand(
        [(s, p, Fraction(v)) for s, p, v in rows], answers.stratum.tolist(), answers.sizes.tolist()
    )
    values = np.array([float(value) for *_, value in rows])
    found = estimate(answers, values, np.ones(len(values)), rate=True)
    assert found.value == pytest.approx(float(theta), abs=1e-12)
    assert found.variance == pytest.approx(float(variance), abs=1e-12)
    if variance and 0 < theta < 1:
        assert found.n_eff == pytest.approx(float(theta * (1 - theta) / variance), rel=1e-9)
    each = defaultdict(list)
    for _, person, value in rows:
        each[person].append(value)
    own = [sum(one) / len(one) for one in each.values()]
    assert (found.low, found.high) == pytest.approx((min(own), max(own)))
    assert (found.people, found.answers, found.n) == (len(each), len(rows), len({sample for sample, *_ in rows}))


@pytest.mark.parametrize("seed", range(100))
def test_a_difference_with_a_model_is_the_estimate_of_the_differences(seed: int) -> None:
    answers, rows = study(seed, people=3)
    source = random.Random(-seed)
    model = [source.choice([0.0, 1.0, float("nan")]) for _ in answers.stratum]
    paired = [(s, p, Fraction(v) - Fraction(int(model[s]))) for s, p, v in rows if not math.isnan(model[s])]
    found = paired_difference(answers, np.array([float(v) for *_, v in rows]), np.array(model))
    if not paired:
        assert found.value is None
        return
    theta, variance = by_hand(paired, answers.stratum.tolist(), answers.sizes.tolist())
    assert found.value == pytest.approx(float(theta), abs=1e-12)
    assert found.n == len({sample for sample, *_ in paired})
    if found.variance is not None:
        assert found.variance == pytest.approx(float(variance), abs=1e-12)


def test_a_slice_and_a_population_are_ratios_of_weighted_means() -> None:
    """Only the answers with a crop count in quadrants; the others stay in the size of their stratum."""
    answers = Answers(np.array([0, 0, 1, 2, 3]), np.array([0, 1, 0, 0, 1]), np.array([0, 0, 1, 1]), np.array([30, 10]))
    numerator, denominator = np.array([1.0, 0, 0, 1, 0]), np.array([1.0, 1, 0, 1, 0])
    found = estimate(answers, numerator, denominator, rate=True)
    top, bottom = 0.75 * (0.5 + 0) / 2 + 0.25 * (1 + 0) / 2, 0.75 * 1 / 2 + 0.25 * 1 / 2
    assert found.value == pytest.approx(top / bottom)
    assert (found.n, found.answers, found.people) == (2, 3, 2)
    ratio = found.value
    spread = [(0.5 - ratio) ** 2 / 2, (1 - ratio) ** 2 / 2]
    expected = 0.75**2 * (28 / 30) * spread[0] / 2 + 0.25**2 * (8 / 10) * spread[1] / 2
    assert found.variance == pytest.approx(expected / bottom**2)


def test_what_is_undefined_stays_so() -> None:
    answers = Answers(np.array([0, 1]), np.array([0, 0]), np.array([0, 1]), np.array([5, 5]))
    nothing = estimate(answers, np.zeros(2), np.zeros(2), rate=True)
    assert (nothing.value, nothing.interval, nothing.n) == (None, None, 0)
    lonely = estimate(answers, np.array([1.0, 0]), np.ones(2), rate=True)
    assert (lonely.value, lonely.variance, lonely.interval) == (0.5, None, None)
    empty = np.zeros(0, np.int64)
    assert estimate(Answers(empty, empty, np.array([0]), np.array([5])), empty * 1.0, empty * 1.0, rate=True).n == 0


def test_a_stratum_without_an_answer_is_left_out_and_said() -> None:
    answers = Answers(np.array([0, 1]), np.array([0, 1]), np.array([0, 0, 1, 1]), np.array([30, 10]))
    found = estimate(answers, np.array([1.0, 0]), np.ones(2), rate=True)
    assert (found.value, found.covered) == (0.5, 0.75)


def test_who_answered_everything_leaves_nothing_to_chance() -> None:
    answers = Answers(np.arange(4), np.zeros(4, np.int64), np.array([0, 0, 1, 1]), np.array([2, 2]))
    found = estimate(answers, np.array([1.0, 0, 1, 1]), np.ones(4), rate=True)
    assert (found.variance, found.n_eff) == (0.0, None)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (0.75, 0.75)


def test_all_correct_has_an_interval_with_a_width() -> None:
    answers = Answers(np.arange(6), np.zeros(6, np.int64), np.array([0] * 3 + [1] * 3), np.array([30, 30]))
    found = estimate(answers, np.ones(6), np.ones(6), rate=True)
    assert found.variance == 0
    assert found.n_eff == pytest.approx(1 / (2 * 0.25 * 0.9 / 3))
    assert found.interval is not None
    assert found.interval.low < 1 == found.interval.high


def test_where_nothing_varies_the_interval_rests_on_the_samples_of_the_population() -> None:
    """Of 20 samples, one has a plan: what is known of plans is known of one sample, however many others there are."""
    sizes, stratum = np.array([50, 50]), np.array([0] * 10 + [1] * 10)
    answers = Answers(np.arange(20), np.zeros(20, np.int64), stratum, sizes)
    everyone = estimate(answers, np.ones(20), np.ones(20), rate=True)
    assert everyone.n_eff == pytest.approx(1 / (2 * 0.25 * 0.8 / 10))
    one = np.zeros(20)
    one[3] = 1
    found = estimate(answers, one, one, rate=True)
    assert (found.value, found.n, found.n_eff) == (1, 1, pytest.approx(1 / 0.8))
    assert found.interval is not None
    assert found.interval.low < 0.3
    # Three in one stratum, one in the other: shares .75 and .25 of the population.
    four = np.zeros(20)
    four[[0, 1, 2, 15]] = 1
    assert estimate(answers, four, four, rate=True).n_eff == pytest.approx(1 / (0.8 * (0.75**2 / 3 + 0.25**2 / 1)))


def test_the_bootstrap_over_samples_has_the_spread_of_the_formula() -> None:
    answers, rows = study(3, people=2, strata=2, each=30)
    values = np.array([float(value) for *_, value in rows])
    found = estimate(answers, values, np.ones(len(values)), rate=False, draws=20_000)
    assert found.interval is not None
    assert found.interval.method == OVER_SAMPLES
    assert found.variance is not None
    assert (found.interval.high - found.interval.low) / 2 / 1.96 == pytest.approx(math.sqrt(found.variance), rel=0.05)


def test_from_five_people_on_the_interval_is_over_people_too() -> None:
    def of(people: int) -> tuple[Answers, np.ndarray]:
        """The first person answers everything right, the others little."""
        rows = [(s, p, 1.0 if p == 0 or (s + p) % 4 == 0 else 0.0) for s in range(40) for p in range(people)]
        columns = [np.array(column) for column in zip(*rows, strict=True)]
        stratum = np.array([0] * 20 + [1] * 20)
        return Answers(columns[0], columns[1], stratum, np.array([200, 300])), columns[2]

    answers, values = of(5)
    five = estimate(answers, values, np.ones(len(values)), rate=True)
    answers, values = of(4)
    four = estimate(answers, values, np.ones(len(values)), rate=True)
    assert five.interval is not None
    assert four.interval is not None
    assert (five.interval.method, four.interval.method) == (OVER_BOTH, WILSON)
    assert five.interval.detail["seed"] == 20260101
    # People differ far more than samples do.
    assert five.interval.high - five.interval.low > 1.5 * (four.interval.high - four.interval.low)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 7))
def test_an_estimate_is_a_share_and_does_not_depend_on_the_order(seed: int, people: int) -> None:
    answers, rows = study(seed, people, each=8)
    values = np.array([float(value) for *_, value in rows])
    found = estimate(answers, values, np.ones(len(values)), rate=True, draws=200)
    order = np.random.default_rng(seed).permutation(len(values))
    turned = Answers(answers.sample[order], answers.person[order], answers.stratum, answers.sizes)
    again = estimate(turned, values[order], np.ones(len(values)), rate=True, draws=200)
    assert again.value == pytest.approx(found.value)
    assert found.value is not None
    assert found.interval is not None
    assert -1e-12 <= found.interval.low <= found.interval.high <= 1 + 1e-12
    if found.interval.method == WILSON:
        assert found.interval.low - 1e-9 <= found.value <= found.interval.high + 1e-9


def test_the_interval_covers_what_all_people_would_reach() -> None:
    """95% intervals over 400 drawn samples of one population."""
    source = np.random.default_rng(5)
    sizes = np.array([120, 60, 20])
    truth = [(source.random(size) < share).astype(float) for size, share in zip(sizes, (0.8, 0.5, 0.3), strict=True)]
    whole = sum(one.sum() for one in truth) / sizes.sum()
    hits = 0
    for _ in range(400):
        drawn = [source.choice(one, size=n, replace=False) for one, n in zip(truth, (24, 12, 4), strict=True)]
        stratum = np.repeat(np.arange(3), [24, 12, 4])
        values = np.concatenate(drawn)
        answers = Answers(np.arange(40), np.zeros(40, np.int64), stratum, sizes)
        found = estimate(answers, values, np.ones(40), rate=True)
        assert found.interval is not None
        hits += found.interval.low <= whole <= found.interval.high
    assert 0.92 <= hits / 400 <= 0.99
