"""Intervals against scipy, statsmodels and hand-worked numbers (docs/metrics.md#statistics, #one-run, #ratios,
#two-runs)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.statistics import DRAWS, MIN_CLUSTERS, SEED, bootstrap_interval, cluster_totals, dense_codes, ratio
from evaluation.metrics.intervals import (
    clustering,
    mean_interval,
    newcombe,
    rate_interval,
    ratio_interval,
    t_quantile,
    wilson,
)
from evaluation.metrics.resampling import clustered_difference, paired_bootstrap, resampled_difference


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"), [(2, 10, 0.057, 0.510), (81, 263, 0.255, 0.366), (0, 10, 0, 0.278)]
)
def test_wilson_gives_the_worked_examples(hits, n, low, high):
    found = wilson(hits, n)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-4)


@given(st.integers(1, 5000), st.floats(0, 1))
def test_wilson_is_that_of_statsmodels(n, share):
    from statsmodels.stats.proportion import proportion_confint

    hits = round(n * share)
    found = wilson(hits, n)
    assert (found.low, found.high) == pytest.approx(proportion_confint(hits, n, method="wilson"), abs=1e-12)
    assert 0 <= found.low <= hits / n <= found.high <= 1


def test_a_rate_of_nothing_has_no_interval():
    assert wilson(0, 0) is None
    assert rate_interval(np.zeros(0), np.zeros(0, int)) is None
    assert mean_interval(np.zeros(0), None) is None


@pytest.mark.parametrize(("hits", "n"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(hits, n):
    with pytest.raises(ValueError, match="successes"):
        wilson(hits, n)


@pytest.mark.parametrize("df", [1, 2, 3, 7, 19, 30, 100, 999, 1000, 1001, 2001, 50_000, 1_000_000])
@pytest.mark.parametrize("p", [0.01, 0.5, 0.6, 0.9, 0.975, 0.999])
def test_the_t_quantile_is_that_of_scipy(p, df):
    from scipy import stats

    assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-10 if df < 10_000 else 1e-8, abs=1e-12)


def test_a_t_quantile_outside_its_range_is_refused():
    with pytest.raises(ValueError, match="degrees of freedom"):
        t_quantile(0.975, 0)


def test_the_clustered_error_is_the_formula_written_out():
    rng = np.random.default_rng(3)
    values, cluster = rng.random(60), rng.integers(0, 12, 60)
    mean, groups = values.mean(), np.unique(cluster)
    inner = sum((values[cluster == g] - mean).sum() ** 2 for g in groups)
    expected = np.sqrt(len(groups) / (len(groups) - 1) * inner) / 60
    found = clustering(values, cluster)
    assert found.se == pytest.approx(expected)
    naive = np.sqrt(60 / 59 * ((values - mean) ** 2).sum()) / 60
    assert found.deff == pytest.approx(expected**2 / naive**2)
    assert found.n_eff == pytest.approx(60 / found.deff)


def test_the_clustered_error_is_that_of_a_regression_on_a_constant():
    from statsmodels.regression.linear_model import OLS

    rng = np.random.default_rng(4)
    cluster = rng.integers(0, 15, 90)
    values = rng.random(90) + rng.random(15)[cluster]
    fitted = OLS(values, np.ones(90)).fit(cov_type="cluster", cov_kwds={"groups": cluster})
    assert clustering(values, cluster).se == pytest.approx(float(fitted.bse[0]))


def test_the_mean_of_independent_samples_has_the_t_interval_of_scipy():
    from scipy import stats

    values = np.random.default_rng(1).normal(3, 2, 25)
    expected = stats.t.interval(0.95, 24, values.mean(), stats.sem(values))
    found = mean_interval(values, None)
    assert (found.low, found.high) == pytest.approx(expected)


def test_copies_of_one_answer_do_not_narrow_the_interval():
    answers = np.random.default_rng(0).integers(0, 2, 100).astype(float)
    once = mean_interval(answers, np.arange(100))
    copied = rate_interval(np.repeat(answers, 4), np.repeat(np.arange(100), 4))
    assert copied.method == "cluster-t"
    assert (copied.low, copied.high) == pytest.approx((once.low, once.high))
    assert copied.detail["n_eff"] == pytest.approx(100, rel=0.01)


def test_independent_samples_get_wilson_and_clustered_ones_the_t():
    answers = np.tile([1.0, 0, 1, 1, 0, 1, 0, 1], 20)
    assert rate_interval(answers, np.arange(160)).method == "wilson"
    assert rate_interval(answers, np.random.default_rng(0).integers(0, 50, 160)).method == "cluster-t"


def test_a_clustered_rate_near_one_gets_wilson_with_the_effective_number():
    found = rate_interval(np.ones(40), np.repeat(np.arange(10), 4))
    assert found.method == "wilson-n-eff"
    assert (found.low, found.high) == pytest.approx((wilson(10, 10).low, 1.0))
    assert found.detail["deff"] is None


def test_one_cluster_says_nothing_about_others():
    found = rate_interval(np.array([1.0, 0, 1]), np.zeros(3, int))
    assert found.method == "wilson-n-eff"
    assert found.high - found.low > 0.7
    assert mean_interval(np.array([1.0, 2.0]), np.zeros(2, int)) is None


def test_two_clusters_never_reach_beyond_what_a_mean_can_be():
    found = mean_interval(np.array([1.0, 0, -1, -1]), np.array([0, 0, 1, 1]), least=-1, most=1)
    assert (found.low, found.high, found.detail["clusters"]) == (-1, 1, 2)
    free = mean_interval(np.array([1.0, 0, -1, -1]), np.array([0, 0, 1, 1]))
    assert (free.low < -1, free.high > 1) == (True, True)


def test_ratios_are_bootstrapped_over_clusters_and_state_seed_and_draws():
    rng = np.random.default_rng(5)
    calls = rng.integers(1, 9, 300)
    effective = rng.binomial(calls, 0.6)
    found = ratio_interval(effective.astype(float), calls.astype(float), np.arange(300) // 3)
    assert found.method == "cluster-bootstrap"
    assert found.low < effective.sum() / calls.sum() < found.high
    assert found.detail["draws"] == 2000
    assert found.detail["clusters"] == 100
    assert found == ratio_interval(effective.astype(float), calls.astype(float), np.arange(300) // 3)
    near = mean_interval(effective.astype(float), np.arange(300) // 3, calls.astype(float))
    assert (found.low, found.high) == pytest.approx((near.low, near.high), abs=0.006)


def test_few_clusters_have_no_bootstrap_interval():
    values = np.random.default_rng(0).random(MIN_CLUSTERS * 3)
    assert ratio_interval(values, np.ones(len(values)), np.arange(len(values)) % (MIN_CLUSTERS - 1)) is None
    assert ratio_interval(values, np.ones(len(values)), np.arange(len(values)) % MIN_CLUSTERS) is not None


def test_interchangeable_clusters_are_drawn_at_once_with_the_same_result():
    totals = np.column_stack([np.tile([0.0, 1, 1, 2], 250), np.full(1000, 2.0)])
    apart = totals + np.random.default_rng(0).normal(0, 1e-9, totals.shape)
    together, each = bootstrap_interval(totals, ratio), bootstrap_interval(apart, ratio)
    assert (together.low, together.high) == pytest.approx((each.low, each.high), abs=0.002)


@pytest.mark.parametrize("clusters", [20, 61, 150])
def test_a_bootstrap_is_to_the_bit_the_plain_one(clusters):
    totals = np.random.default_rng(clusters).random((clusters, 2))
    drawn = np.random.default_rng(SEED).integers(0, clusters, size=(DRAWS, clusters), dtype=np.int32)
    counts = np.array([np.bincount(row, minlength=clusters) for row in drawn], float)
    for _ in range(2):  # drawn, then kept
        found = bootstrap_interval(totals, ratio)
        assert [found.low, found.high] == np.quantile(ratio(counts @ totals), [0.025, 0.975]).tolist()


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=90))
def test_the_ends_of_a_bootstrap_are_the_quantiles_of_numpy(values):
    found = bootstrap_interval(np.zeros((MIN_CLUSTERS, 1)), lambda _: np.array(values), draws=len(values))
    assert [found.low, found.high] == np.quantile(values, [0.025, 0.975]).tolist()


def test_very_many_clusters_get_the_clustered_t():
    values = np.random.default_rng(0).random(5000)
    found = ratio_interval(values, np.ones(5000), None)
    assert found.method == "cluster-t"
    assert found.high - found.low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(5000), rel=0.01)


@given(st.lists(st.integers(-3, 10**9), min_size=1, max_size=30))
def test_dense_codes_keep_who_is_with_whom(codes):
    found, size = dense_codes(np.array(codes))
    assert found.tolist() == np.unique(codes, return_inverse=True)[1].tolist()
    assert size == len(set(codes))


def test_cluster_totals_add_up():
    totals = cluster_totals(np.array([[1.0, 1], [2, 1], [4, 1]]), np.array([7, 3, 7]))
    assert totals.tolist() == [[2, 1], [5, 2]]


@pytest.mark.parametrize(
    ("cells", "low", "high"),
    [
        ((20, 12, 2, 16), -0.3292, -0.0562),  # Newcombe 1998, table of examples, seen from the second rate
        ((14, 5, 0, 22), -0.2265, -0.0115),
    ],
)
def test_newcombes_paired_interval_gives_published_examples(cells, low, high):
    found = newcombe(*cells)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)


@given(*[st.integers(0, 60)] * 4)
def test_newcombes_interval_holds_the_difference_and_turns_with_the_pair(both, first, second, neither):
    n = both + first + second + neither
    found = newcombe(both, first, second, neither)
    if n == 0:
        assert found is None
        return
    turned = newcombe(both, second, first, neither)
    assert -1 <= found.low <= (second - first) / n + 1e-12
    assert (second - first) / n - 1e-12 <= found.high <= 1
    assert (found.low, found.high) == pytest.approx((-turned.high, -turned.low), abs=1e-12)


def exact_interval(lost, gained, n):
    """Of n draws of {−1, 0, +1} convolved: the smallest values whose probabilities add up to 2.5% and 97.5%."""
    whole, one = np.ones(1), np.array([lost, n - lost - gained, gained]) / n
    for _ in range(n):
        whole = np.convolve(whole, one)
    return (np.searchsorted(np.cumsum(whole), np.array((0.025, 0.975)) - 1e-12) - n) / n


@pytest.mark.parametrize(("lost", "gained", "n"), [(6, 1, 40), (60, 80, 1000), (0, 0, 10), (10, 0, 10), (3, 9, 25)])
def test_the_simulated_paired_interval_is_within_two_steps_of_the_exact_one(lost, gained, n):
    drawn = paired_bootstrap(lost, gained, n)
    low, high = exact_interval(lost, gained, n)
    assert abs(drawn.low - low) <= 2 / n + 1e-12
    assert abs(drawn.high - high) <= 2 / n + 1e-12
    assert drawn == paired_bootstrap(lost, gained, n)
    assert drawn.detail["draws"] >= 10_000


def test_a_paired_interval_needs_counts_that_fit():
    assert paired_bootstrap(0, 0, 0) is None
    with pytest.raises(ValueError, match="counts that fit"):
        paired_bootstrap(5, 6, 10)


def test_a_resampled_difference_is_by_samples_where_each_has_its_picture_and_else_by_pictures():
    rng = np.random.default_rng(4)
    first, second = rng.integers(0, 2, 120), rng.integers(0, 2, 120)
    pictures = np.repeat(np.arange(40), 3)
    lost, gained = int((first > second).sum()), int((second > first).sum())
    assert resampled_difference(first, second, np.arange(120)) == paired_bootstrap(lost, gained, 120)
    assert resampled_difference(first, second, pictures) == clustered_difference(first, second, pictures)
    assert resampled_difference(first[:0], second[:0], pictures[:0]) is None


def test_a_clustered_difference_is_wider_than_an_independent_one():
    rng = np.random.default_rng(2)
    first, second = np.repeat(rng.integers(0, 2, 60), 5), np.repeat(rng.integers(0, 2, 60), 5)
    clustered = clustered_difference(first, second, np.repeat(np.arange(60), 5))
    alone = clustered_difference(first, second, np.arange(300))
    assert clustered.high - clustered.low > 1.8 * (alone.high - alone.low)
    many = clustered_difference(rng.random(3000), rng.random(3000), np.arange(3000))
    assert (clustered.method, many.method) == ("cluster-bootstrap", "cluster-t")


@pytest.mark.parametrize("clustered", [False, True])
def test_clustered_intervals_cover_where_naive_ones_do_not(clustered):
    rng = np.random.default_rng(7)
    cluster = np.repeat(np.arange(50), 6)
    covered = 0
    for _ in range(300):
        chance = np.repeat(rng.beta(1, 1, 50), 6)
        found = rate_interval((rng.random(300) < chance).astype(float), cluster if clustered else None)
        covered += found.low <= 0.5 <= found.high
    assert (covered / 300 > 0.90) == clustered


def test_clusters_that_are_all_alike_have_a_design_effect_of_exactly_nought_and_keep_their_n() -> None:
    third = np.array([1.0, 0.0, 0.0] * 4)
    cluster = np.repeat(np.arange(4), 3)
    assert clustering(third, cluster).deff == 0.0
    found = rate_interval(third, cluster)
    assert found is not None
    alone = wilson(4, 12)
    assert alone is not None
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high))
    assert found.detail["n_eff"] is None
