"""Ranks of models: rank intervals, the probability of being best or near it, and ties."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from annotation.statistics import MIN_CLUSTERS, SEED
from evaluation.metrics.columns import Floats, Ints
from evaluation.metrics.resampling import PAIRED_DRAWS, resampled_values
from evaluation.metrics.significance import cluster_differences, holm, sign_flip

TIE = 1e-9
"""Values with a smaller difference are equal."""
TOP = 3
"""The number of first places of ``p_top3``."""
LEVEL = 0.05
"""Adjusted p below which one model is above another."""
DRAWN, TESTED = "bootstrap", "tests"
"""The basis of the ranges of a ranking."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One model's place: rank 1 is best, equal values share the best of their ranks ("3 [2-6]").

    ``low``..``high`` is the 95% rank interval, ``p_best`` the share of draws in which it was best, ``p_top3`` that in
    which it was among the first three, both 0..1 (shared places count in parts). All but ``value`` are None for a model
    without a value; below 20 clusters nothing is drawn: both shares are None, and the interval is by tests.
    """

    value: float | None
    rank: int | None
    low: int | None
    high: int | None
    p_best: float | None
    p_top3: float | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Standings in the order of the given columns, and their basis: ``draws``, or ``pairs`` that were tested."""

    standings: tuple[Standing, ...]
    n: int
    clusters: int
    draws: int
    seed: int
    pairs: int = 0

    @property
    def method(self) -> str:
        return TESTED if self.pairs else DRAWN


def rank_models(
    numerators: Floats | Ints,
    cluster: Ints,
    denominators: Floats | Ints | None = None,
    *,
    higher_is_better: bool = True,
    draws: int = PAIRED_DRAWS,
    seed: int = SEED,
) -> Ranking:
    """Ranks of m models on n common samples with a joint cluster bootstrap: the same draw for all models.

    A model's value is Σ ``numerators`` / Σ ``denominators`` over the samples, (n, m) each; without denominators the
    mean. ``cluster``: (n,). Source: docs/metrics.md#many-runs.
    """
    numerators = numerators.astype(np.float64)
    weights = np.ones_like(numerators) if denominators is None else denominators.astype(np.float64)
    clusters, drawn = len(np.unique(cluster)), None
    if clusters >= MIN_CLUSTERS:
        drawn = resampled_values(numerators, weights, cluster, draws=draws, seed=seed)
    standings = standings_of(totals_ratio(numerators, weights), drawn, higher_is_better)
    return Ranking(standings, len(numerators), clusters, draws, seed)


def totals_ratio(numerators: Floats, denominators: Floats) -> Floats:
    """Σ ``numerators`` / Σ ``denominators`` of m models, (n, m) each, NaN where the denominator is 0."""
    above, below = numerators.sum(axis=0), denominators.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below != 0, above / below, np.nan)


def standings_of(values: Floats, drawn: Iterable[Floats] | None, higher_is_better: bool) -> tuple[Standing, ...]:
    """Rank ``values`` (m,), NaN for a model without one, with the same in joint draws, in blocks (draws, m). None:
    nothing is drawn."""
    sign = 1.0 if higher_is_better else -1.0
    ranks = _ranks(sign * values[None, :])[0]
    counts = None
    if drawn is not None:
        counts, best, top = _rank_counts(sign, drawn)
        draws = int(counts[0].sum())
    standings = []
    for model, value in enumerate(values):
        if not np.isfinite(value):
            standings.append(Standing(None, None, None, None, None, None))
        elif counts is None:
            standings.append(Standing(float(value), int(ranks[model]), None, None, None, None))
        else:
            low, high = _rank_interval(counts[model])
            shares = float(best[model] / draws), float(top[model] / draws)
            standings.append(Standing(float(value), int(ranks[model]), low, high, *shares))
    return tuple(standings)


def with_tested_ranges(ranking: Ranking, passed: Ints, counted: Ints, cluster: Ints) -> Ranking:
    """Return a ranking with few clusters, with ranges by exact tests of all pairs instead of draws.

    1 + the models clearly above .. the models less those clearly below. One is clearly above another if the cluster
    sign-flip test of what both ``passed`` (0 or 1), on the samples ``counted`` (0 or 1) for both, has p < 0.05 after
    Holm's adjustment over all pairs. (n, m) each; ``cluster``: (n,). The range holds the rank, which is over each
    model's own samples. It is unchanged with fewer than two models with a value. Source: docs/metrics.md#two-runs,
    #many-runs.
    """
    there = [model for model, standing in enumerate(ranking.standings) if standing.rank is not None]
    pairs = list(combinations(there, 2))
    if not pairs:
        return ranking
    met = counted * passed
    sums = [cluster_differences(met[:, a] * counted[:, b], met[:, b] * counted[:, a], cluster) for a, b in pairs]
    above, below = (dict.fromkeys(there, 0) for _ in range(2))
    for (a, b), found, p in zip(pairs, sums, holm([sign_flip(one) for one in sums]), strict=True):
        if p is not None and p < LEVEL:
            better, worse = (a, b) if found.sum() > 0 else (b, a)
            above[worse] += 1
            below[better] += 1
    standings = [
        standing
        if standing.rank is None
        else replace(
            standing,
            low=min(standing.rank, 1 + above[model]),
            high=max(standing.rank, len(there) - below[model]),
        )
        for model, standing in enumerate(ranking.standings)
    ]
    return replace(ranking, standings=tuple(standings), draws=0, pairs=len(pairs))


def _ranks(values: Floats) -> Ints:
    """Return 1 + the number of models clearly above, of values (draws, m); a NaN is below everything."""
    filled = np.where(np.isfinite(values), values, -np.inf)
    above = filled[:, None, :] > filled[:, :, None] + TIE
    return np.asarray(above.sum(axis=2) + 1, dtype=np.int64)


def _rank_counts(sign: float, blocks: Iterable[Floats]) -> tuple[Ints, Floats, Floats]:
    """Return how many draws gave each model each rank, (m, m); its first places and its places among the first three,
    with shared ones counted in parts, (m,) each.
    """
    counts: Ints | None = None
    best: Floats | None = None
    top: Floats | None = None
    for values in blocks:
        ranks = _ranks(sign * values)
        models = ranks.shape[1]
        cells = np.arange(models) * models + ranks - 1
        found = np.bincount(cells.ravel(), minlength=models * models).reshape(models, models)
        first, near = (_parts_of_places(ranks, places).sum(axis=0) for places in (1, TOP))
        counts = found if counts is None else counts + found
        best = first if best is None else best + first
        top = near if top is None else top + near
    if counts is None or best is None or top is None:
        raise ValueError("Ranks need at least one draw.")
    return counts, best, top


def _parts_of_places(ranks: Ints, places: int) -> Floats:
    """Return the part that each model has in the first ``places`` places of each draw, (draws, m): k models of rank r
    occupy the places r .. r + k - 1 and share those of them that are among the first.

    Example: of ranks 1, 2, 2, 2 the first two places are 1, 1/3, 1/3, 1/3.
    """
    among = ranks <= places
    parts = among.astype(np.float64)
    # In the other draws, these places have exactly as many models, and nothing is shared with the next.
    shared = np.count_nonzero(among, axis=1) != places
    if shared.any():
        parts[shared] = _shared_parts(ranks[shared], places)
    return parts


def _shared_parts(ranks: Ints, places: int) -> Floats:
    draws, models = ranks.shape
    cells = np.arange(draws)[:, None] * models + ranks - 1
    tied = np.bincount(cells.ravel(), minlength=draws * models)[cells]
    return np.asarray(np.clip(places + 1 - ranks, 0, tied) / tied, dtype=np.float64)


def _rank_interval(counts: Ints) -> tuple[int, int]:
    """Return the smallest ranks at which the share of draws reaches 2.5% and 97.5%, from draws per rank (m,)."""
    cumulative = np.cumsum(counts) / counts.sum()
    low, high = np.searchsorted(cumulative, np.array((0.025, 0.975)) - 1e-12)
    return int(low) + 1, int(high) + 1
