"""Similarity of orders: Spearman's ρ of two measures, and the concordance of several models over the same items.

Source: docs/metrics.md#rank-correlation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evaluation.metrics.columns import Floats
from evaluation.metrics.intervals import Interval

LEAST_PAIRS = 4
"""With fewer pairs a correlation has no interval."""
Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's ``rho`` of ``n`` pairs, −1..1, with its 95% interval; None where undefined."""

    n: int
    rho: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Concordance:
    """``models`` that order the same ``items``: mean ρ over their pairs, and Kendall's W; None where undefined."""

    models: int
    items: int
    mean_rho: float | None
    w: float | None


def average_ranks(values: Sequence[float] | Floats) -> Floats:
    """Ranks from 1, the smallest first; equal values share the mean of their ranks. Example: 5, 7, 7 → 1, 2.5, 2.5."""
    _, place, counts = np.unique(np.asarray(values, np.float64), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Floats = ((last - counts + 1 + last) / 2)[place]
    return ranks


def spearman(first: Sequence[float] | Floats, second: Sequence[float] | Floats) -> Correlation:
    """Pearson's correlation of the average ranks. Undefined with fewer than two pairs, or if all values of one side
    are equal.

    The interval is that of Bonett and Wright: tanh(artanh ρ ± 1.960·√((1 + ρ²/2) / (n − 3))). None with fewer than 4
    pairs and at ρ = ±1. Example: 1, 2, 3, 4 and 2, 1, 4, 3: ρ .6, interval −.893 to .993.
    """
    n, rho = len(first), _pearson(average_ranks(first), average_ranks(second))
    if rho is None or n < LEAST_PAIRS or abs(rho) >= 1:
        return Correlation(n, rho, None)
    center, reach = math.atanh(rho), Z95 * math.sqrt((1 + rho**2 / 2) / (n - 3))
    return Correlation(n, rho, Interval(math.tanh(center - reach), math.tanh(center + reach), "bonett-wright"))


def concordance(table: Floats) -> Concordance:
    """``table``: (items, models), without gaps. ρ̄ is the mean of Spearman's ρ over all pairs of models, W = ((m − 1)·ρ̄
    + 1) / m, 0..1 without ties. Undefined with fewer than two models or items, or if a model has the same value
    everywhere.

    Example: three models order three items 1 2 3, 1 2 3 and 3 2 1: ρ̄ = −1/3, W = 1/9.
    """
    items, models = table.shape
    ranks = [average_ranks(table[:, model]) for model in range(models)]
    found = [_pearson(a, b) for a, b in combinations(ranks, 2)]
    known = [rho for rho in found if rho is not None]
    if not found or len(known) < len(found):
        return Concordance(models, items, None, None)
    mean = sum(known) / len(known)
    return Concordance(models, items, mean, ((models - 1) * mean + 1) / models)


def _pearson(first: Floats, second: Floats) -> float | None:
    a, b = first - first.mean() if len(first) else first, second - second.mean() if len(second) else second
    size = math.sqrt(float(a @ a) * float(b @ b))
    if not size:
        return None
    rho = float(a @ b) / size
    return math.copysign(1.0, rho) if abs(rho) > 1 - 1e-12 else rho
