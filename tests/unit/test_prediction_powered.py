"""PPI++ of judges and people (docs/metrics.md#judges)."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement import corrected_rate, judge_quality
from annotation.prediction_powered import disagree, powered_rate
from annotation.statistics import Interval

PEOPLE = np.array([1, 0, 1, 1, 0, 1], float)
JUDGED = np.array([1, 0, 0, 1, 1, 1], float)
OTHERS = np.array([1] * 7 + [0] * 3, float)


def test_the_worked_example():
    found = powered_rate(PEOPLE, JUDGED, OTHERS)
    assert found.weight == pytest.approx(0.152, abs=5e-4)
    assert found.value == pytest.approx(0.672, abs=5e-4)
    assert found.error == pytest.approx(0.189, abs=5e-4)
    assert found.interval.low == pytest.approx(found.value - 1.959964 * found.error)


def independently(people, judged, others):
    """The estimate by its definition as the minimum of a weighted loss: the mean with power tuning, item by item."""
    n, rest = len(people), len(others)
    both = [*judged, *others]
    middle = sum(both) / len(both)
    spread = sum((value - middle) ** 2 for value in both) / (len(both) - 1)
    mean_y, mean_f = sum(people) / n, sum(judged) / n
    shared = sum((y - mean_y) * (f - mean_f) for y, f in zip(people, judged, strict=True)) / n
    weight = min(1.0, max(0.0, shared / ((1 + n / rest) * spread))) if spread else 0.0
    rectifier = [y - weight * f for y, f in zip(people, judged, strict=True)]
    imputed = [weight * f for f in others]
    value = sum(imputed) / rest + sum(rectifier) / n

    def variance(values):
        mean = sum(values) / len(values)
        return sum((one - mean) ** 2 for one in values) / len(values)

    error = (variance(imputed) / rest + variance(rectifier) / n) ** 0.5
    return value, value + NormalDist().inv_cdf(0.025) * error, value + NormalDist().inv_cdf(0.975) * error


BITS = st.integers(0, 1)


@given(st.lists(st.tuples(BITS, BITS), min_size=2, max_size=40), st.lists(BITS, min_size=1, max_size=60))
def test_the_rate_of_a_judge_with_labels_equals_an_independent_calculation(labeled, others):
    people, judged = (np.array(column, float) for column in zip(*labeled, strict=True))
    found = powered_rate(people, judged, np.array(others, float))
    wanted = [min(max(value, 0), 1) for value in independently(people, judged, others)]
    assert [found.value, found.interval.low, found.interval.high] == pytest.approx(wanted, abs=1e-9)


def test_without_others_it_is_the_rate_of_people_and_one_label_is_not_enough():
    found = powered_rate(PEOPLE, JUDGED, np.empty(0))
    assert (found.weight, found.value) == (0, pytest.approx(4 / 6))
    assert powered_rate(PEOPLE[:1], JUDGED[:1], OTHERS) is None


def test_clusters_of_several_items_widen_the_interval():
    """Each item twice is no more information than each item once."""
    twice = powered_rate(np.repeat(PEOPLE, 2), np.repeat(JUDGED, 2), np.repeat(OTHERS, 2), np.repeat(np.arange(16), 2))
    assert twice.error == pytest.approx(powered_rate(PEOPLE, JUDGED, OTHERS).error * (16 / 15) ** 0.5, rel=1e-3)
    alone = powered_rate(PEOPLE, JUDGED, OTHERS, np.arange(16))
    assert alone.error == powered_rate(PEOPLE, JUDGED, OTHERS).error
    assert powered_rate(PEOPLE, JUDGED, OTHERS, np.zeros(16, np.int64)) is None


def test_ten_more_labels_make_the_interval_shorter():
    found = powered_rate(np.tile(PEOPLE, 5), np.tile(JUDGED, 5), np.tile(OTHERS, 5))
    assert found.half_with_more < found.interval.halfwidth
    assert powered_rate(PEOPLE, JUDGED, OTHERS).half_with_more is None


def planted(seed, rate=0.55, labeled=200, items=1000, tpr=0.8, tnr=0.7):
    generator = np.random.default_rng(seed)
    truth = (generator.random(items) < rate).astype(float)
    said = np.where(generator.random(items) < np.where(truth == 1, tpr, 1 - tnr), 1.0, 0.0)
    return truth[:labeled], said[:labeled], said[labeled:]


def test_both_corrections_cover_the_rate_behind_a_planted_judge():
    """TPR .8, TNR .7, of 100 fixed seeds at least 93."""
    powered = corrected = 0
    for seed in range(100):
        people, judged, others = planted(seed)
        quality = judge_quality(judged.astype(np.int64), people.astype(np.int64))
        yes = int(judged.sum() + others.sum())
        first = corrected_rate(yes, len(judged) + len(others), quality).interval
        second = powered_rate(people, judged, others).interval
        corrected += first.low <= 0.55 <= first.high
        powered += second.low <= 0.55 <= second.high
    assert powered >= 93
    assert corrected >= 93


def test_intervals_that_do_not_overlap_disagree():
    def between(low, high):
        return Interval(low, high, "test")

    assert disagree(between(0.1, 0.2), between(0.3, 0.4))
    assert disagree(between(0.3, 0.4), between(0.1, 0.2))
    assert not disagree(between(0.1, 0.3), between(0.3, 0.4))
