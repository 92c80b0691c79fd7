"""Models over several benchmarks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.macro import Macro, Part, macro_ranking
from evaluation.metrics.ranking import rank_models, totals_ratio

MODELS = 3


def part(seed: int, samples: int = 60, chances: tuple[float, ...] = (0.8, 0.6, 0.3), each: int = 1) -> Part:
    """Models of these chances on samples of which ``each`` share a picture; some samples count for nobody."""
    rng = np.random.default_rng(seed)
    right = (rng.random((samples, len(chances))) < chances).astype(float)
    counted = (rng.random((samples, 1)) < 0.9) * np.ones((1, len(chances)))
    return Part(right * counted, counted, np.arange(samples) // each)


def over(*parts: Part, draws: int = 1000) -> Macro:
    return macro_ranking(
        np.array([totals_ratio(one.numerators, one.denominators) for one in parts]), parts, draws=draws
    )


def test_of_one_benchmark_it_is_the_ranking_there() -> None:
    one = part(1)
    alone = rank_models(one.numerators, one.cluster, one.denominators, draws=1000)
    assert over(one).standings == alone.standings


@given(st.integers(0, 50), st.permutations(range(MODELS)))
def test_the_order_of_models_says_nothing(seed: int, order: list[int]) -> None:
    parts = part(seed), part(seed + 1, 40, (0.5, 0.7, 0.5))
    found = over(*parts, draws=500)
    turned = over(*(Part(p.numerators[:, order], p.denominators[:, order], p.cluster) for p in parts), draws=500)
    assert turned.standings == tuple(found.standings[model] for model in order)
    assert turned.ends == tuple(found.ends[model] for model in order)


@pytest.mark.parametrize("each", [1, 4])
def test_the_interval_is_that_of_a_mean_of_independent_benchmarks(each: int) -> None:
    """√(Σ SE²) / b, where each benchmark has its own draws: with the same draws it would be larger."""
    parts = [part(seed, 400, each=each) for seed in (3, 4, 5)]
    errors = []
    for one in parts:
        groups = one.cluster.max() + 1
        ratio = totals_ratio(one.numerators, one.denominators)
        sums = np.array(
            [(one.numerators - ratio * one.denominators)[one.cluster == group].sum(axis=0) for group in range(groups)]
        )
        errors.append(np.sqrt((sums**2).sum(axis=0)) / one.denominators.sum(axis=0))
    expected = 2 * 1.96 * np.sqrt((np.array(errors) ** 2).sum(axis=0)) / 3
    found = over(*parts, draws=4000)
    assert [high - low for low, high in found.ends if (low, high)] == pytest.approx(expected.tolist(), rel=0.08)
    for standing, (low, high) in zip(found.standings, found.ends, strict=True):
        assert low < standing.value < high


def test_who_is_far_better_everywhere_is_first_in_every_draw() -> None:
    found = over(part(1, 200, (0.95, 0.3)), part(2, 300, (0.9, 0.4)))
    first, second = found.standings
    assert (first.rank, first.low, first.high, first.p_best) == (1, 1, 1, 1)
    assert (second.rank, second.low, second.high, second.p_best) == (2, 2, 2, 0)


@pytest.mark.parametrize(
    ("parts", "values"),
    [
        ([part(1), part(2, 19)], None),  # Fewer than 20 pictures on one.
        ([part(1), part(2, 60, each=4)], None),
        ([part(1)], [[0.5] * MODELS]),  # Its samples add up to something else.
        ([], [[0.5, 0.25, 0.25], [0.5, 0.5, 0.25]]),  # Nothing is known of the samples.
    ],
)
def test_what_cannot_be_drawn_has_a_mean_and_no_interval(parts: list[Part], values: list[list[float]] | None) -> None:
    given = np.array(values or [totals_ratio(one.numerators, one.denominators) for one in parts])
    found = macro_ranking(given, parts)
    assert [standing.value for standing in found.standings] == pytest.approx(given.mean(axis=0).tolist())
    assert found.ends == (None,) * MODELS
    assert found.draws == 0
    assert {(standing.low, standing.p_best) for standing in found.standings} == {(None, None)}


def test_a_model_without_a_value_on_one_benchmark_has_none_and_takes_no_place() -> None:
    one, other = part(1), part(2)
    other.numerators[:, 1] = other.denominators[:, 1] = 0
    found = over(one, other)
    assert [standing.rank for standing in found.standings] == [1, None, 2]
    assert found.standings[1].value is None
    assert found.ends[1] is None
    assert [standing.high for standing in found.standings if standing.rank] == [1, 2]
