"""Agreement of people and judges (docs/metrics.md#statistics, #judges)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement import (
    agree,
    box_agreement,
    cohen_kappa,
    corrected_rate,
    judge_quality,
    krippendorff_alpha,
)
from annotation.schema import Box
from annotation.statistics import wilson

PAIRS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=60)


def raters(both_yes, first_yes, second_yes, both_no):
    counts = [both_yes, first_yes, second_yes, both_no]
    return np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)


def test_the_worked_example_of_kappa():
    assert cohen_kappa(*raters(4, 1, 1, 4), 2) == pytest.approx(0.6)


def test_ac1_does_not_fall_with_prevalence_as_kappa_does():
    first, second = raters(46, 1, 2, 1)
    assert cohen_kappa(first, second, 2) == pytest.approx(0.37, abs=0.01)
    assert agree(first, second, 2).ac1.value == pytest.approx(0.93, abs=0.01)


@pytest.mark.filterwarnings("ignore::RuntimeWarning:statsmodels")
@given(PAIRS)
def test_kappa_is_that_of_statsmodels(pairs):
    from statsmodels.stats.inter_rater import cohens_kappa

    first, second = (np.array(column) for column in zip(*pairs, strict=True))
    table = np.bincount(first * 3 + second, minlength=9).reshape(3, 3)
    found = cohen_kappa(first, second, 3)
    if found is None:
        assert (table > 0).sum() == 1
    else:
        assert found == pytest.approx(cohens_kappa(table).kappa)


@given(PAIRS)
def test_alpha_is_its_definition_by_pairs(pairs):
    labels = np.array(pairs)
    values = labels.ravel()
    expected = (values[:, None] != values[None, :]).sum() / (len(values) * (len(values) - 1))
    found = krippendorff_alpha(labels, 3).value
    if expected == 0:
        assert found is None
    else:
        assert found == pytest.approx(1 - (labels[:, 0] != labels[:, 1]).mean() / expected)


def test_alpha_of_four_raters_with_missing_labels_is_the_textbook_value():
    """Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, example C: nominal alpha .743."""
    rows = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    labels = np.array([[int(c) - 1 if c != "." else -1 for c in row] for row in rows]).T
    assert krippendorff_alpha(labels, 5).value == pytest.approx(0.743, abs=5e-4)


def test_one_category_only_is_undefined_and_never_perfect():
    found = agree(np.ones(30, int), np.ones(30, int), 2)
    assert found.raw.value == 1
    assert found.kappa.value is None
    assert found.alpha.value is None
    assert found.kappa.interval is None


def test_items_without_both_labels_are_counted_apart():
    found = agree(np.array([1, -1, 0]), np.array([1, 1, -1]), 2)
    assert (found.raw.n, found.missing) == (1, 2)
    assert found.table == ((0, 0), (0, 1))


def test_intervals_come_from_clusters():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 200)
    second = np.where(rng.random(200) < 0.8, first, 1 - first)
    found = agree(first, second, 2, np.arange(200) // 4)
    assert found.kappa.interval.detail["clusters"] == 50
    assert found.kappa.interval.low < found.kappa.value < found.kappa.interval.high
    assert agree(first[:19], second[:19], 2).kappa.interval is None


def test_labels_outside_the_categories_are_refused():
    with pytest.raises(ValueError, match="-1 to 1"):
        agree(np.array([2]), np.array([0]), 2)


def test_a_judge_as_a_test_has_sensitivity_and_specificity():
    judge, people = raters(8, 3, 2, 5)
    found = judge_quality(np.append(judge, -1), np.append(people, 1))
    assert (found.sensitivity.value, found.sensitivity.n) == (0.8, 10)
    assert (found.specificity.value, found.specificity.n) == (5 / 8, 8)
    assert found.sensitivity.interval == wilson(8, 10)
    assert judge_quality(np.array([1]), np.array([1])).specificity.value is None


def test_boxes_of_two_people_are_compared_as_regions():
    found = box_agreement([Box(0, 0, 10, 10), Box(0, 0, 10, 10)], [Box(5, 0, 25, 10)])
    assert (found.iou, found.ioa_first, found.ioa_second) == (50 / 250, 0.5, 0.25)
    assert box_agreement([], [Box(0, 0, 1, 1)]) is None


def test_a_judges_rate_is_corrected_for_its_errors():
    quality = judge_quality(*raters(90, 20, 10, 80))
    assert (quality.sensitivity.value, quality.specificity.value) == (0.9, 0.8)
    found = corrected_rate(60, 100, quality)
    assert found.value == pytest.approx(4 / 7)
    assert found.interval.low < 4 / 7 < found.interval.high
    assert corrected_rate(5, 100, quality).value == 0
    assert corrected_rate(0, 0, quality).value is None
    assert corrected_rate(60, 100, judge_quality(*raters(5, 5, 5, 5))).value is None


def test_the_interval_of_a_corrected_rate_covers_the_true_rate():
    generator = np.random.default_rng(7)
    inside = 0
    for _ in range(200):
        truth = generator.random(100) < 0.5
        judge = np.where(truth, generator.random(100) < 0.9, generator.random(100) >= 0.8)
        quality = judge_quality(judge.astype(np.int64), truth.astype(np.int64))
        interval = corrected_rate(int(generator.binomial(500, 0.55)), 500, quality).interval
        inside += interval.low <= 0.5 <= interval.high
    assert 180 <= inside <= 200
