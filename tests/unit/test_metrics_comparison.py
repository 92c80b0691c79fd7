"""Two and more runs on the samples they share (METRICS 9.3, 9.4, 10)."""

import numpy as np
import pytest

from evaluation.metrics.comparison import common_results, compare, compare_all
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.tests import mcnemar
from tests.unit.score_cases import make_samples, make_scores

DEFAULT = MetricSettings()


def runs(both, a_only, b_only, neither):
    counts = [both, a_only, b_only, neither]
    n = sum(counts)
    return (
        n,
        make_scores(n, correct=np.repeat([1, 1, 0, 0], counts)),
        make_scores(n, correct=np.repeat([1, 0, 1, 0], counts)),
    )


def test_the_difference_is_of_b_over_a():
    n, a, b = runs(20, 12, 2, 16)
    found = compare(make_samples(n), a, b, DEFAULT, ("old", "new"))
    assert (found.n, found.a_only, found.b_only, found.both, found.neither) == (50, 12, 2, 20, 16)
    assert (found.accuracy_a, found.accuracy_b) == (0.64, 0.44)
    assert found.difference == pytest.approx(-0.2)
    assert found.p_value == found.p_cluster == mcnemar(12, 2)
    assert (found.interval.low, found.interval.high) == pytest.approx((-0.3292, -0.0562), abs=1e-4)
    assert (found.model_a, found.model_b) == ("old", "new")


def test_only_common_samples_are_compared_and_the_rest_is_counted():
    a = make_scores(3, sample=[4, 0, 2], correct=[1, 1, 0])
    b = make_scores(4, sample=[0, 1, 2, 3], correct=[0, 1, 1, 1])
    found = compare(make_samples(5), a, b, DEFAULT)
    assert (found.n, found.dropped_a, found.dropped_b) == (2, 1, 2)
    assert (found.a_only, found.b_only) == (1, 1)


def test_no_common_sample_is_undefined():
    found = compare(make_samples(2), make_scores(1, sample=[0]), make_scores(1, sample=[1]), DEFAULT)
    assert (found.n, found.difference, found.p_value, found.interval, found.detectable) == (0, None, None, None, None)


def test_undecided_answers_are_wrong_or_leave_both_sides():
    a = make_scores(2, correct=[-1, 1], undecided=[True, False])
    b = make_scores(2, correct=[1, 1])
    assert compare(make_samples(2), a, b, DEFAULT).b_only == 1
    left = compare(make_samples(2), a, b, MetricSettings(undecided_answer="exclude"))
    assert (left.n, left.b_only, left.dropped_a) == (1, 0, 1)


def test_rollouts_are_paired_one_by_one():
    a = make_scores(3, sample=[0, 0, 1], correct=[1, 0, 1])
    b = make_scores(3, sample=[1, 0, 0], correct=[1, 1, 1])
    found = compare(make_samples(2), a, b, DEFAULT)
    assert (found.n, found.both, found.b_only) == (3, 2, 1)


def test_clusters_bring_their_own_p_interval_and_design_effect():
    samples = make_samples(80, cluster=np.repeat(np.arange(20), 4))
    better = np.repeat(np.arange(20) < 14, 4)
    found = compare(samples, make_scores(80), make_scores(80, correct=better.astype(int)), DEFAULT)
    assert found.p_value < found.p_cluster
    assert found.p_cluster == pytest.approx(2 / 2**14)
    assert found.deff == pytest.approx(4, rel=0.1)
    assert found.clustered.high - found.clustered.low > found.interval.high - found.interval.low


def test_a_comparison_may_look_at_a_slice():
    n, a, b = runs(1, 2, 3, 4)
    found = compare(make_samples(n), a, b, DEFAULT, only=np.arange(n) < 3)
    assert (found.n, found.a_only, found.b_only, found.dropped_a) == (3, 2, 0, 0)


def test_all_pairs_are_adjusted_together():
    n, a, b = runs(20, 15, 2, 16)
    found = compare_all(make_samples(n), {"a": a, "b": b, "c": a}, DEFAULT)
    assert [(c.model_a, c.model_b) for c in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    p = mcnemar(15, 2)
    assert [c.p_holm for c in found] == pytest.approx([3 * p, 1, 3 * p])


def test_all_runs_against_a_reference():
    n, a, b = runs(20, 15, 2, 16)
    found = compare_all(make_samples(n), {"a": a, "b": b, "c": a}, DEFAULT, reference="b")
    assert [(c.model_a, c.model_b) for c in found] == [("b", "a"), ("b", "c")]
    with pytest.raises(ValueError, match="'x'"):
        compare_all(make_samples(n), {"a": a}, DEFAULT, reference="x")


def test_common_results_are_those_all_runs_have():
    first = make_scores(3, sample=[2, 0, 1], correct=[1, 0, 1])
    second = make_scores(2, sample=[1, 2], correct=[0, -1], undecided=[False, True])
    sample, correct = common_results([first, second], DEFAULT)
    assert sample.tolist() == [1, 2]
    assert correct.tolist() == [[1, 0], [1, 0]]
    assert common_results([first, second], MetricSettings(undecided_answer="exclude"))[0].tolist() == [1]
    assert common_results([], DEFAULT)[1].size == 0
