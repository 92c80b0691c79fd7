"""Where two runs looked (docs/metrics.md#population, #ratios, #two-runs)."""

import numpy as np
import pytest

from evaluation.metrics.grounding_comparison import compare_grounding
from evaluation.metrics.significance import mcnemar
from tests.unit.score_cases import make_samples, make_scores


def looks(ioa, sample=None, **columns):
    """A run that crops on every sample unless its IoA is unknown."""
    ioa = np.array(ioa, float)
    inside = ~np.isnan(ioa)
    sample = np.arange(len(ioa)) if sample is None else sample
    return make_scores(len(ioa), sample=sample, ioa=ioa, in_population=inside, grounded=inside & (ioa > 0.5), **columns)


def test_both_are_held_against_each_other_where_both_looked():
    a, b = looks([0.9, 0.8, 0.2, np.nan, 0.7]), looks([0.9, 0.1, 0.3, 0.6, np.nan])
    found = compare_grounding(make_samples(5), a, b)
    assert (found.n, found.dropped_a, found.dropped_b) == (3, 1, 1)
    assert (found.both, found.a_only, found.b_only, found.neither) == (1, 1, 0, 1)
    assert (found.grounded_a, found.grounded_b) == pytest.approx((2 / 3, 1 / 3))
    assert (found.ioa_difference, found.ioa_a) == pytest.approx((-0.2, 1.9 / 3))
    assert found.p_value == found.p_cluster == mcnemar(1, 0)


def test_an_answer_that_does_not_count_is_a_look_all_the_same():
    a = looks([0.9, 0.9], correct=[-1, 1], undecided=[True, False])
    assert compare_grounding(make_samples(2), a, looks([0.1, 0.9])).n == 2


def test_rows_are_paired_by_sample():
    a, b = looks([0.9, 0.1], sample=[1, 0]), looks([0.1, 0.9], sample=[0, 1])
    assert compare_grounding(make_samples(2), a, b).ioa_difference == 0


def test_nobody_looked_is_undefined():
    found = compare_grounding(make_samples(2), looks([np.nan, np.nan]), looks([0.5, 0.5]))
    assert (found.n, found.dropped_b) == (0, 2)
    undefined = (found.grounded_a, found.difference, found.interval, found.p_value, found.p_cluster)
    assert (*undefined, found.ioa_a, found.ioa_difference, found.ioa_interval, found.ioa_p) == (None,) * 9


@pytest.mark.parametrize("pictures", [19, 20])
def test_mean_ioa_has_an_interval_from_twenty_pictures_on(pictures):
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(pictures), 3)
    a, b = (looks(rng.random(len(cluster))) for _ in range(2))
    found = compare_grounding(make_samples(len(cluster), cluster=cluster), a, b)
    assert found.shares_clusters
    assert (found.ioa_interval is not None) == (pictures == 20)
    if found.ioa_interval:
        assert found.ioa_interval.low < found.ioa_difference < found.ioa_interval.high
        assert found.ioa_interval.detail["draws"] >= 2000


def test_a_clear_difference_is_told_apart_by_both_tests():
    rng = np.random.default_rng(4)
    a, b = looks(rng.uniform(0.0, 0.6, 80)), looks(rng.uniform(0.4, 1.0, 80))
    found = compare_grounding(make_samples(80), a, b)
    assert max(found.p_value, found.ioa_p) < 0.001
    assert found.ioa_p == 1 / (found.draws + 1)  # no draw was as far out
