"""Exact tests against scipy, statsmodels and brute force (docs/metrics.md#interventions, #statistics, #two-runs,
#many-runs).

scipy and statsmodels are imported by the tests that ask them: collecting takes every process two seconds less.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.significance import (
    cluster_differences,
    detectable_difference,
    holm,
    mcnemar,
    sampled_sign_flip,
    sign_flip,
)
from tests.properties import fewer


@pytest.mark.parametrize(
    ("lost", "gained", "p"),
    [(6, 1, 0.125), (8, 21, 0.0241), (1, 7, 0.0703), (40, 61, 0.0460), (18, 18, 1), (0, 0, 1), (0, 5, 0.0625)],
)
def test_mcnemar_gives_the_worked_examples(lost, gained, p):
    assert mcnemar(lost, gained) == pytest.approx(p, abs=5e-5)


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_that_of_statsmodels_and_a_binomial_test(lost, gained):
    from scipy.stats import binomtest
    from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

    expected = statsmodels_mcnemar([[3, lost], [gained, 9]], exact=True).pvalue
    assert mcnemar(lost, gained) == pytest.approx(min(expected, 1.0), rel=1e-9)
    if lost + gained:
        assert mcnemar(lost, gained) == pytest.approx(binomtest(lost, lost + gained).pvalue, rel=1e-9)


def test_mcnemar_of_many_pairs_keeps_its_digits():
    from scipy.stats import binomtest

    assert mcnemar(50_000, 51_000) == pytest.approx(binomtest(50_000, 101_000).pvalue, rel=1e-9)


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="counts are needed"):
        mcnemar(-1, 2)


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_sign_flip_with_one_sample_per_cluster_is_mcnemar(lost, gained):
    differences = np.array([1] * lost + [-1] * gained + [0] * 5)
    assert sign_flip(differences) == pytest.approx(mcnemar(lost, gained), rel=1e-12, abs=1e-12)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=9))
def test_the_sign_flip_counts_all_signs(differences):
    observed = abs(sum(differences))
    signs = itertools.product((-1, 1), repeat=len(differences))
    share = np.mean([abs(np.dot(sign, differences)) >= observed for sign in signs])
    assert sign_flip(np.array(differences)) == pytest.approx(share, abs=1e-14)


def test_cluster_differences_are_sums_within_clusters():
    first, second = np.array([1, 1, 0, 1]), np.array([0, 0, 1, 1])
    assert cluster_differences(first, second, np.array([5, 5, 2, 2])).tolist() == [-1, 2]


def test_mcnemar_is_too_liberal_with_clusters_and_the_sign_flip_is_not():
    """No difference on average, but each picture favours one model: 40 pictures with 6 questions each."""
    rng = np.random.default_rng(11)
    cluster, liberal, exact, trials = np.repeat(np.arange(40), 6), 0, 0, 400
    for _ in range(trials):
        lean = np.repeat(rng.choice([-0.3, 0.3], 40), 6)
        a = (rng.random(240) < 0.5 + lean).astype(int)
        b = (rng.random(240) < 0.5 - lean).astype(int)
        liberal += mcnemar(int((a > b).sum()), int((a < b).sum())) < 0.05
        exact += sign_flip(cluster_differences(a, b, cluster)) < 0.05
    assert exact / trials < 0.075
    assert liberal / trials > 0.10


def test_the_sign_flip_of_independent_samples_keeps_its_level():
    rng = np.random.default_rng(12)
    found = [sign_flip(rng.integers(-1, 2, 200)) for _ in range(500)]
    assert np.mean(np.array(found) < 0.05) < 0.07


def test_holm_gives_the_worked_example():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


@pytest.mark.parametrize("m", [1, 2, 5, 12])
def test_holm_is_that_of_statsmodels(m):
    from statsmodels.stats.multitest import multipletests

    p_values = np.random.default_rng(m).random(m) ** 3
    assert holm(p_values.tolist()) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())


def test_holm_leaves_the_undefined_out():
    assert holm([0.02, None, 0.5]) == [0.04, None, 0.5]
    assert holm([]) == []


def test_the_detectable_difference_gives_the_worked_example():
    assert detectable_difference(0.15, 0, 191) == pytest.approx(0.079, abs=1e-3)
    assert detectable_difference(0.15, 0, 0) is None


@fewer()
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=60))
def test_the_sampled_sign_flip_of_whole_numbers_is_the_exact_one_within_sampling_error(differences):
    each = np.array(differences)
    exact, drawn = sign_flip(each), sampled_sign_flip(each.astype(float), np.arange(len(each)))
    assert drawn.p_value == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / drawn.draws) + 2 / drawn.draws)


def test_the_sampled_sign_flip_turns_whole_clusters_and_can_be_made_again():
    rng = np.random.default_rng(6)
    scores, cluster = rng.normal(0.3, 1, 60), np.repeat(np.arange(12), 5)
    found = sampled_sign_flip(scores, cluster, seed=9)
    sums = scores.reshape(12, 5).sum(axis=1)
    signs = np.array(list(itertools.product((-1, 1), repeat=12)))
    exact = np.mean(np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9)
    assert found.p_value == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / found.draws))
    assert (found, found.draws, found.seed) == (sampled_sign_flip(scores, cluster, seed=9), 10_000, 9)
    again = rng.permutation(60)
    assert sampled_sign_flip(scores[again], cluster[again], seed=9).p_value == pytest.approx(found.p_value, abs=1e-9)


def test_the_sampled_sign_flip_of_nothing_is_undefined_and_of_no_difference_is_one():
    assert sampled_sign_flip(np.zeros(0), np.zeros(0, np.int64)).p_value is None
    assert sampled_sign_flip(np.zeros(9), np.arange(9)).p_value == 1.0
    # Sums that are 0 but for rounding are no difference either.
    assert sampled_sign_flip(np.array([0.1, 0.2, -0.3]), np.arange(3)).p_value == 1.0
