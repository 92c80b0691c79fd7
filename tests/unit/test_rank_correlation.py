"""Spearman's ρ and Kendall's W, against definitions that take another way."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.rank_correlation import average_ranks, concordance, spearman

VALUES = st.lists(st.integers(0, 9), min_size=2, max_size=9)


def test_equal_values_share_the_mean_of_their_ranks():
    assert average_ranks([5, 7, 7]).tolist() == [1, 2.5, 2.5]
    assert average_ranks([]).tolist() == []


def test_the_worked_example_of_a_correlation():
    found = spearman([1, 2, 3, 4], [2, 1, 4, 3])
    assert found.rho == pytest.approx(0.6)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (
        pytest.approx(-0.893, abs=5e-4),
        pytest.approx(0.993, abs=5e-4),
    )


@pytest.mark.parametrize(("first", "second"), [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3])])
def test_a_correlation_without_order_is_undefined(first, second):
    assert spearman(first, second).rho is None
    assert spearman(first, second).interval is None


def test_few_pairs_and_perfect_orders_have_no_interval():
    assert spearman([1, 2, 3], [1, 3, 2]).interval is None
    assert spearman(range(9), range(9)) == spearman(range(9), [2 * x for x in range(9)])
    assert (spearman(range(9), range(9)).rho, spearman(range(9), range(9)).interval) == (1.0, None)


@given(st.permutations(range(8)))
def test_without_ties_rho_is_that_of_the_squared_differences(order):
    n = len(order)
    squares = sum((a - b) ** 2 for a, b in enumerate(order))
    assert spearman(range(n), order).rho == pytest.approx(1 - 6 * squares / (n * (n * n - 1)))


@given(VALUES.flatmap(lambda first: st.tuples(st.just(first), st.permutations(first))))
def test_rho_is_symmetric_odd_and_about_order_only(pair):
    first, second = pair
    found, back = spearman(first, second), spearman(second, first)
    assert found.n == len(first)
    if found.rho is None:
        assert len(set(first)) == 1
        return
    assert back.rho == pytest.approx(found.rho)
    assert -1 <= found.rho <= 1
    assert spearman([-x for x in first], second).rho == pytest.approx(-found.rho)
    assert spearman([math.exp(x) for x in first], second).rho == pytest.approx(found.rho)
    if found.interval:
        assert -1 <= found.interval.low < found.rho < found.interval.high <= 1


def test_the_worked_example_of_concordance():
    found = concordance(np.array([[1.0, 1, 3], [2, 2, 2], [3, 3, 1]]))
    assert (found.models, found.items) == (3, 3)
    assert found.mean_rho == pytest.approx(-1 / 3)
    assert found.w == pytest.approx(1 / 9)


@given(st.integers(2, 5).flatmap(lambda m: st.lists(st.permutations(range(6)), min_size=m, max_size=m)))
def test_without_ties_w_is_kendalls_of_the_sums_of_ranks(orders):
    table = np.array(orders, float).T
    items, models = table.shape
    sums = (table + 1).sum(axis=1)
    spread = float(((sums - sums.mean()) ** 2).sum())
    assert concordance(table).w == pytest.approx(12 * spread / (models**2 * (items**3 - items)))
    pairs = [spearman(a, b).rho for a, b in itertools.combinations(orders, 2)]
    assert concordance(table).mean_rho == pytest.approx(sum(pairs) / len(pairs))


@pytest.mark.parametrize("table", [np.zeros((0, 3)), np.ones((3, 2)), np.array([[1.0], [2.0]]), np.ones((1, 3))])
def test_concordance_needs_two_models_that_tell_items_apart(table):
    assert (concordance(table).mean_rho, concordance(table).w) == (None, None)
