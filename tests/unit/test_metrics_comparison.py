"""Two and more runs on the samples they share (docs/metrics.md#two-runs, #many-runs, #exports)."""

import numpy as np
import pytest

from evaluation.metrics.comparison import compare
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.significance import detectable_difference, mcnemar
from evaluation.metrics.slice_finder import find_slices
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


def test_so_many_samples_would_show_the_difference():
    n, a, b = runs(20, 9, 7, 14)
    found = compare(make_samples(n), a, b, DEFAULT)
    assert found.needed == 1562  # (1.95996 + 0.84162)² · (16/50 − 0.04²) / 0.04²
    assert detectable_difference(16 / 50, 0.04, found.needed) == pytest.approx(0.04, rel=1e-3)
    equal = compare(make_samples(n), a, a, DEFAULT)
    assert (equal.needed, equal.p_decisive) == (None, 1.0)


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


def test_the_interval_of_two_pictures_stays_within_a_hundred_points():
    samples = make_samples(4, cluster=np.array([0, 0, 1, 1]))
    found = compare(samples, make_scores(4), make_scores(4, correct=[1, 1, 1, 0]), DEFAULT)
    assert (found.difference, found.clustered.low, found.clustered.high) == (0.75, -1, 1)
    assert (found.clusters, found.shares_clusters, found.least_p_cluster) == (2, True, 0.5)


def test_one_picture_has_no_interval_and_its_sign_flip_can_tell_nothing():
    samples = make_samples(4, cluster=np.zeros(4, int))
    found = compare(samples, make_scores(4), make_scores(4, correct=[1, 1, 1, 1]), DEFAULT)
    assert (found.clustered, found.p_cluster, found.least_p_cluster) == (None, 1.0, 1.0)


def test_runs_are_told_apart_by_clusters_not_by_samples():
    samples = make_samples(16, cluster=np.repeat(np.arange(4), 4))
    wrong, right = make_scores(16), make_scores(16, correct=[1] * 16)
    found = compare(samples, wrong, right, DEFAULT)
    assert (found.p_value, found.p_cluster) == (2 / 2**16, 2 / 2**4)


def test_a_comparison_may_look_at_a_slice():
    n, a, b = runs(1, 2, 3, 4)
    found = compare(make_samples(n), a, b, DEFAULT, only=np.arange(n) < 3)
    assert (found.n, found.a_only, found.b_only, found.dropped_a) == (3, 2, 0, 0)


def invented(rng, n=300, better=None):
    """Two runs right as often as each other, but for b on ``better``; three facets, one with two values a sample."""
    facets = {name: rng.integers(0, k, (n, 1 + (k == 5))) for name, k in (("kind", 4), ("tier", 3), ("part", 5))}
    terms = [(name, str(value)) for name, values in facets.items() for value in range(values.max() + 1)]
    members = np.column_stack([(facets[name] == int(value)).any(axis=1) for name, value in terms])
    a, b = (rng.random(n) < 0.6).astype(int), (rng.random(n) < 0.6).astype(int)
    if better is not None:
        rows = members[:, [terms.index(term) for term in better]].all(axis=1)
        a[rows], b[rows] = 0, 1
    return a, b, np.arange(n), terms, members


def test_under_the_null_hardly_any_search_finds_a_slice():
    rng = np.random.default_rng(7)
    searches = [find_slices(*invented(rng)) for _ in range(100)]
    assert min(len(search.slices) for search in searches) > 40
    assert sum(search.slices[0].p_holm < 0.05 for search in searches) <= 5


def test_the_slice_that_differs_is_found_with_its_counts():
    rng = np.random.default_rng(7)
    a, b, cluster, terms, members = invented(rng, better=[("kind", "2"), ("tier", "1")])
    first = find_slices(a, b, cluster, terms, members, least=10).slices[0]
    rows = members[:, terms.index(("kind", "2"))] & members[:, terms.index(("tier", "1"))]
    assert first.terms == (("kind", "2"), ("tier", "1"))
    assert (first.n, first.a_only, first.b_only, first.difference) == (rows.sum(), 0, rows.sum(), 1.0)
    assert first.p_value == mcnemar(0, first.n) < first.p_holm < 0.05
    apart = find_slices(np.repeat(a, 2), np.repeat(b, 2), np.repeat(cluster, 2), terms, np.repeat(members, 2, axis=0))
    [same] = [one for one in apart.slices if one.terms == first.terms]
    assert (same.n, same.p_value) == (2 * first.n, first.p_value)  # Two questions on each picture say nothing more.
