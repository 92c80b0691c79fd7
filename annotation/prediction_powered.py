"""Estimates the rate that people would give, from verdicts of a judge on all items and of people on some: PPI++.

Source: docs/metrics.md#judges. Verdicts are 1 (yes) or 0 (no). ``corrected_rate`` (Rogan-Gladen) transfers the errors
of a judge to other items; this estimate needs labels that were drawn at random.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from annotation.statistics import Z95, Floats, Interval, Ints, cluster_totals

MORE = 10
"""The number of further labels whose gain is predicted."""


@dataclass(frozen=True, slots=True)
class PoweredRate:
    """A rate (0..1) of n + N items with its interval; the weight λ of the judge (0..1); the standard error; half the
    width of the interval if ``MORE`` of the other items were labeled, None with fewer than ``MORE`` others.
    """

    value: float
    n: int
    interval: Interval
    weight: float
    error: float
    half_with_more: float | None


def powered_rate(people: Floats, judged: Floats, others: Floats, cluster: Ints | None = None) -> PoweredRate | None:
    """Return PPI++ of n labeled items and N others that only the judge judged; None with fewer than two labels.

    θ = λ·mean_N(f) + mean_n(Y − λf), SE² = λ²·var(f_N)/N + var(Y − λf)/n with divisors N and n, and λ = clip([Σ_n (Y −
    Ȳ)(f − f̄)/n] / [(1 + n/N)·s²], 0, 1), s² the variance of f over all n + N with divisor n + N − 1. Interval θ ±
    1.960·SE, clipped to 0..1. λ = 0 without others or if f is constant. If a cluster has several items, SE is that of
    clusters (docs/metrics.md#one-run), labeled and others together.

    Args:
        people, judged: (n,) Y and f of the labeled items. others: (N,) f of the others.
        cluster: (n + N,) codes of what is drawn together, the labeled items first.

    Example: Y 1,0,1,1,0,1, f 1,0,0,1,1,1, seven of ten others 1: λ .152, θ .672, SE .189.
    """
    n, rest = len(people), len(others)
    if n < 2:
        return None
    weight = _weight(people, judged, others)
    residual = people - weight * judged
    value = float(residual.mean()) + (weight * float(others.mean()) if rest else 0.0)
    of_others = weight**2 * float(others.var()) if rest else 0.0
    of_labels = float(residual.var())
    square = (of_others / rest if rest else 0.0) + of_labels / n
    error = math.sqrt(square)
    if cluster is not None and len(np.unique(cluster)) < len(cluster):
        parts = [(residual - residual.mean()) / n]
        if rest:
            parts.append(weight * (others - others.mean()) / rest)
        totals = cluster_totals(np.concatenate(parts), cluster)[:, 0]
        if len(totals) < 2:
            return None
        error = math.sqrt(len(totals) / (len(totals) - 1) * float((totals**2).sum()))
    half = None
    if rest > MORE and square > 0:
        half = Z95 * error * math.sqrt((of_others / (rest - MORE) + of_labels / (n + MORE)) / square)
    low, high = (min(max(value + side * Z95 * error, 0.0), 1.0) for side in (-1, 1))
    return PoweredRate(min(max(value, 0.0), 1.0), n + rest, Interval(low, high, "ppi++"), weight, error, half)


def _weight(people: Floats, judged: Floats, others: Floats) -> float:
    n, rest = len(people), len(others)
    variance = float(np.concatenate([judged, others]).var(ddof=1))
    if not rest or not variance:
        return 0.0
    shared = float(((people - people.mean()) * (judged - judged.mean())).mean())
    return min(max(shared / ((1 + n / rest) * variance), 0.0), 1.0)


def disagree(first: Interval, second: Interval) -> bool:
    """Return whether two intervals of one rate do not overlap: then an assumption of one of the estimates fails."""
    return first.high < second.low or second.high < first.low
