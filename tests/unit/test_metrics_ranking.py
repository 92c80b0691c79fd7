"""Ranks with their uncertainty (docs/metrics.md#many-runs)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from evaluation.metrics.ranking import rank_models, with_tested_ranges
from evaluation.metrics.resampling import resampled_values
from tests.properties import fewer


def answers(*shares, n=400, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.random((n, len(shares))) < np.array(shares)).astype(float)


def test_a_clear_order_has_narrow_ranks():
    found = rank_models(answers(0.2, 0.9, 0.55), np.arange(400))
    assert [(s.rank, s.low, s.high) for s in found.standings] == [(3, 3, 3), (1, 1, 1), (2, 2, 2)]
    assert [s.p_best for s in found.standings] == [0, 1, 0]
    assert found.draws >= 10_000


def test_near_models_share_their_ranks():
    found = rank_models(answers(0.50, 0.51, 0.9), np.arange(400))
    assert [(s.low, s.high) for s in found.standings] == [(2, 3), (2, 3), (1, 1)]
    assert sum(s.p_best for s in found.standings) == pytest.approx(1)


def test_equal_models_share_the_first_place():
    same = np.repeat(answers(0.5), 2, axis=1)
    found = rank_models(same, np.arange(400))
    assert [(s.rank, s.low, s.high, s.p_best) for s in found.standings] == [(1, 1, 1, 0.5)] * 2


def test_the_last_of_the_first_three_places_is_shared_in_parts():
    """One model ahead, four alike: the other two of the first three places are theirs in four parts."""
    values = np.column_stack([np.ones(400), *[answers(0.5)[:, 0]] * 4])
    found = rank_models(values, np.arange(400))
    assert [(s.rank, s.p_best, s.p_top3) for s in found.standings] == [(1, 1, 1), *[(2, 0, 0.5)] * 4]


@given(arrays.arrays(float, (20, 6), elements=st.sampled_from([0.0, 1.0])), st.integers(1, 6))
@fewer()
def test_who_is_best_is_among_the_first_three_and_these_are_three(values, models):
    found = rank_models(values[:, :models], np.arange(20), draws=500).standings
    assert all(0 <= s.p_best <= s.p_top3 + 1e-12 <= 1 + 2e-12 for s in found)
    assert sum(s.p_top3 for s in found) == pytest.approx(min(models, 3))


def test_chances_are_those_of_the_ranks_drawn_one_by_one():
    values, cluster = answers(0.5, 0.52, 0.5, 0.55, 0.48, n=60), np.arange(60)
    blocks = np.concatenate(list(resampled_values(values, np.ones_like(values), cluster)))
    near = np.zeros(5)
    for draw in blocks:
        for model, value in enumerate(draw):
            above, alike = (draw > value + 1e-9).sum(), (abs(draw - value) < 1e-9).sum()
            near[model] += max(0, min(above + alike, 3) - above) / alike / len(blocks)
    assert [s.p_top3 for s in rank_models(values, cluster).standings] == pytest.approx(near.tolist())


def test_the_same_draw_serves_all_models():
    """Models that differ on one side only never change places, however wide their own intervals are."""
    base = answers(0.5)[:, 0]
    better = base.copy()
    better[:60] = 1
    found = rank_models(np.column_stack([base, better]), np.arange(400))
    assert found.standings[1].p_best == 1


def test_clusters_widen_the_ranks():
    values = np.repeat(answers(0.5, 0.6, n=40, seed=3), 10, axis=0)
    alone = rank_models(values, np.arange(400)).standings[0]
    together = rank_models(values, np.repeat(np.arange(40), 10)).standings[0]
    assert min(together.p_best, 1 - together.p_best) > min(alone.p_best, 1 - alone.p_best)


def test_ratios_and_lower_is_better():
    calls = np.full((100, 2), 4.0)
    wasted = np.column_stack([np.full(100, 1.0), np.full(100, 3.0)])
    found = rank_models(wasted, np.arange(100), calls, higher_is_better=False)
    assert [(s.value, s.rank) for s in found.standings] == [(0.25, 1), (0.75, 2)]


def test_a_model_without_a_value_has_no_rank():
    found = rank_models(np.ones((30, 2)), np.arange(30), np.column_stack([np.ones(30), np.zeros(30)]))
    assert found.standings[1].value is None
    assert found.standings[1].rank is None
    assert found.standings[0].p_best == 1


def test_few_clusters_have_a_rank_but_no_interval():
    found = rank_models(answers(0.2, 0.9, n=19), np.arange(19))
    second = found.standings[1]
    assert (second.rank, second.low, second.p_best, second.p_top3) == (1, None, None, None)


def test_the_same_seed_gives_the_same_ranks():
    values = answers(0.5, 0.52, 0.54)
    assert rank_models(values, np.arange(400), seed=4) == rank_models(values, np.arange(400), seed=4)


def ranges_of(passed, counted=None, pictures=8):
    passed = np.array(passed, np.int64).T
    counted = np.ones_like(passed) if counted is None else np.array(counted, np.int64).T
    cluster = np.arange(len(passed)) % pictures
    return with_tested_ranges(rank_models(passed * counted, cluster, counted), passed, counted, cluster)


def test_below_twenty_pictures_a_range_is_what_exact_tests_leave_open():
    """Eight pictures of two samples: to be right everywhere and nowhere is told apart (p 2/256, of three 6/256)."""
    found = ranges_of([[1] * 16, [0] * 16, [1] * 8 + [0] * 8])
    assert [(s.rank, s.low, s.high, s.p_best) for s in found.standings] == [
        (1, 1, 1, None), (3, 3, 3, None), (2, 2, 2, None),
    ]  # fmt: skip
    assert (found.method, found.pairs, found.draws) == ("tests", 3, 0)
    near = ranges_of([[1] * 16, [0] * 16, [1] * 15 + [0]]).standings
    assert [(s.rank, s.low, s.high) for s in near] == [(1, 1, 2), (3, 3, 3), (2, 1, 2)]


def test_only_samples_that_count_for_both_are_tested():
    """On the samples both have they are alike, whatever either does on its own."""
    first, second = [1] * 8 + [0] * 8, [0] * 8 + [1] * 8
    found = ranges_of([first, second], [[1] * 8 + [0] * 8, [0] * 8 + [1] * 8])
    assert [(s.rank, s.low, s.high) for s in found.standings] == [(1, 1, 2)] * 2


def test_one_model_and_one_without_a_value_have_no_range():
    found = ranges_of([[1] * 16, [0] * 16], [[1] * 16, [0] * 16])
    assert [(s.rank, s.low, s.high) for s in found.standings] == [(1, None, None), (None, None, None)]
    assert found.method == "bootstrap"


@given(arrays.arrays(np.int64, (4, 12), elements=st.integers(0, 1)), st.permutations(range(4)))
def test_a_tested_range_holds_the_rank_and_follows_its_model(passed, order):
    found = ranges_of(passed, pictures=6).standings
    assert all(1 <= s.low <= s.rank <= s.high <= 4 for s in found)
    assert [found[model] for model in order] == list(ranges_of(passed[list(order)], pictures=6).standings)
