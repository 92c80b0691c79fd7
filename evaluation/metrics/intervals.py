"""Intervals of rates, means, ratios and paired differences, clustered where samples are. Source:
docs/metrics.md#intervals.

The rules: independent yes/no samples get Wilson's interval; clustered ones mean ± t · SE between clusters, or Wilson's
with the effective number of samples near 0 and 1; ratios of totals get a cluster bootstrap. Everywhere ``cluster`` (n,)
says which samples belong together, and None that every sample is alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from annotation.statistics import (
    DRAWS,
    SEED,
    Interval,
    bootstrap_interval,
    cluster_totals,
    dense_codes,
    few_patterns,
    ratio,
    wilson,
)
from evaluation.metrics.columns import Floats, Ints

__all__ = [
    "DRAWS",
    "SEED",
    "Clustering",
    "Interval",
    "clopper_pearson_upper",
    "clustering",
    "incomplete_beta",
    "mean_interval",
    "newcombe",
    "rate_interval",
    "ratio_interval",
    "t_quantile",
    "t_tail",
    "wilson",
]

NEAR_THE_ENDS = 10
"""A clustered rate with fewer effective successes or failures than this is "near 0 or 1"."""
NO_EFFECT = 1e-12
"""A design effect below this is 0: every cluster has the same share."""
MOST_DRAWN_CELLS = 4_000_000
"""A bootstrap of more clusters than ``MOST_DRAWN_CELLS / draws``, all different, gives way to the clustered t."""


@dataclass(frozen=True, slots=True)
class Clustering:
    """The effect of clusters on a mean or a ratio of totals.

    ``se`` is the clustered standard error, None with one cluster; ``deff`` = se² / naive se², None when the naive one
    is 0; ``n_eff`` = n / deff, None when deff is None or 0.
    """

    n: int
    clusters: int
    se: float | None
    deff: float | None
    n_eff: float | None

    def as_detail(self) -> dict[str, float | int | None]:
        return {"clusters": self.clusters, "deff": self.deff, "n_eff": self.n_eff}


def clustering(values: Floats, cluster: Ints | None, weights: Floats | None = None) -> Clustering:
    """The clustered standard error and design effect of mean(``values``), (n,), or of Σ values / Σ ``weights``.

    SE = (1/W) √(C/(C−1) · Σ_g (Σ_{i in g} (s_i − R w_i))²) with w = 1 and W = n for a mean; the naive SE takes each
    sample as its own cluster. Source: docs/metrics.md#one-run. Raises ``ValueError`` without a value.
    """
    weight = np.ones(len(values)) if weights is None else weights
    total = float(weight.sum())
    if total == 0:
        raise ValueError("A mean over nothing has no standard error.")
    residual = values - values.sum() / total * weight
    sums = cluster_totals(residual, cluster)[:, 0]
    n, groups = len(values), len(sums)
    variance = _variance(sums, total)
    naive = _variance(residual, total)
    deff = variance / naive if variance is not None and naive else None
    if deff is not None and deff < NO_EFFECT:
        # The clusters' sums cancel but for rounding, which differs from machine to machine.
        variance, deff = 0.0, 0.0
    return Clustering(n, groups, None if variance is None else math.sqrt(variance), deff, n / deff if deff else None)


def rate_interval(successes: Floats, cluster: Ints | None) -> Interval | None:
    """The interval of a share of yes (1) among yes/no samples ``successes`` (n,), within 0..1; None without samples.

    Wilson for independent samples; with any cluster larger than 1 mean ± t_{C−1} SE, and Wilson with n_eff where that
    is near 0 or 1: fewer than ten effective successes or failures, or an end outside 0..1. There n_eff is never taken
    above n, and is the number of clusters where the design effect is undefined (all yes or all no).
    """
    n, hits = len(successes), float(successes.sum())
    if n == 0:
        return None
    if _all_alone(cluster):
        return wilson(hits, n)
    found = clustering(successes, cluster)
    detail = found.as_detail()
    effective = float(found.clusters) if found.deff is None else min(found.n_eff or n, n)
    share = hits / n
    if found.se is not None and found.deff is not None:
        reach = t_quantile(0.975, found.clusters - 1) * found.se
        inside = share - reach >= 0 and share + reach <= 1
        if inside and min(share, 1 - share) * effective >= NEAR_THE_ENDS:
            return Interval(share - reach, share + reach, "cluster-t", detail)
    fallback = wilson(min(share * effective, effective), effective)
    return None if fallback is None else Interval(fallback.low, fallback.high, "wilson-n-eff", detail)


def mean_interval(
    values: Floats,
    cluster: Ints | None,
    weights: Floats | None = None,
    *,
    least: float = -math.inf,
    most: float = math.inf,
) -> Interval | None:
    """mean ± t_{C−1} SE of ``values`` (n,), or of Σ values / Σ weights; None with fewer than two clusters.

    ``least``, ``most``: what the mean can be at all, at which an interval of few clusters ends.
    """
    if len(values) < 2 or (weights is not None and weights.sum() == 0):
        return None
    found = clustering(values, cluster, weights)
    if found.se is None:
        return None
    center = float(values.sum()) / (len(values) if weights is None else float(weights.sum()))
    reach = t_quantile(0.975, found.clusters - 1) * found.se
    low, high = max(center - reach, least), min(center + reach, most)
    return Interval(low, high, "cluster-t", found.as_detail())


def ratio_interval(
    numerators: Floats, denominators: Floats, cluster: Ints | None, *, draws: int = DRAWS, seed: int = SEED
) -> Interval | None:
    """Cluster bootstrap percentile interval of Σ ``numerators`` / Σ ``denominators``, (n,) each.

    Suppressed (None) below 20 clusters. With more different clusters than can be drawn quickly (above 2 000 at the
    default draws), where both intervals agree to within the noise of the draws, it is the clustered t of the ratio.
    """
    totals = cluster_totals(np.column_stack([numerators, denominators]), cluster)
    if len(totals) * draws > MOST_DRAWN_CELLS and few_patterns(totals) is None:
        return mean_interval(numerators, cluster, denominators)
    return bootstrap_interval(totals, ratio, draws=draws, seed=seed)


def newcombe(both: int, only_first: int, only_second: int, neither: int) -> Interval | None:
    """Newcombe's paired score interval (his method 10) of p_second − p_first, within −1..1; None without pairs.

    The two Wilson intervals are joined with the correlation φ of the two answers, corrected for continuity and taken as
    0 where a margin is empty. Source: Newcombe 1998, Statistics in Medicine 17, 2635-2650; docs/metrics.md#two-runs.
    """
    n = both + only_first + only_second + neither
    first, second = wilson(both + only_first, n), wilson(both + only_second, n)
    if first is None or second is None:
        return None
    p_first, p_second = (both + only_first) / n, (both + only_second) / n
    phi = _phi(both, only_first, only_second, neither)
    down = _joined(p_second - second.low, first.high - p_first, phi)
    up = _joined(second.high - p_second, p_first - first.low, phi)
    delta = (only_second - only_first) / n
    return Interval(max(delta - down, -1.0), min(delta + up, 1.0), "newcombe")


@lru_cache(maxsize=4096)
def t_quantile(p: float, df: int) -> float:
    """The ``p`` quantile, 0 < p < 1, of Student's t with ``df`` >= 1 degrees of freedom, to 8 digits and mostly 12.

    Solves P(T > t) = I_{df/(df+t²)}(df/2, 1/2) / 2 by bisection on t.
    """
    if not 0 < p < 1 or df < 1:
        raise ValueError(f"t quantile of {p} with {df} degrees of freedom: 0 < p < 1 and df >= 1 are needed.")
    if p < 0.5:
        return -t_quantile(1 - p, df)
    low, high = 0.0, 1.0
    while t_tail(high, df) > 1 - p:
        low, high = high, high * 2
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if t_tail(middle, df) > 1 - p else (low, middle)
    return (low + high) / 2


def t_tail(t: float, df: int) -> float:
    """P(T > t) of Student's t with ``df`` degrees of freedom, for t >= 0."""
    return incomplete_beta(df / 2, 0.5, df / (df + t * t)) / 2


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularised incomplete beta function I_x(a, b) by its continued fraction (Lentz's evaluation)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - _log_beta(a, b)) / a
    tiny = 1e-300
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or tiny)
    result = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / (1 + term * d or tiny)
            c = 1 + term / c or tiny
            result *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return front * result


def clopper_pearson_upper(successes: int, n: int, level: float = 0.95) -> float:
    """The one-sided exact upper bound of a share: the u with P(at most ``successes`` of n | u) = 1 − ``level``; 1 where
    all are successes. Raises ``ValueError`` without samples. Example: 0 of 59 gives 0.0495."""
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n}: a count of at least one sample is needed.")
    if successes == n:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if incomplete_beta(successes + 1, n - successes, middle) < level else (low, middle)
    return (low + high) / 2


def _log_beta(a: float, b: float) -> float:
    """ln B(a, b). For large a and b = 1/2 the two near-equal terms are replaced by their series, to keep the digits."""
    if b == 0.5 and a > 1000:
        step = 1 / a
        series = step * (1 / 8 - step * step * (1 / 192 - step * step / 640))
        return math.lgamma(0.5) - 0.5 * math.log(a) + series
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _variance(residuals: Floats, total: float) -> float | None:
    """C/(C−1) · Σ residual² / total²: the squared standard error; None with fewer than two residuals."""
    size = len(residuals)
    return float(size / (size - 1) * np.square(residuals).sum() / total**2) if size > 1 else None


def _all_alone(cluster: Ints | None) -> bool:
    return cluster is None or dense_codes(cluster)[1] == len(cluster)


def _phi(both: int, only_first: int, only_second: int, neither: int) -> float:
    margins = (both + only_first) * (only_second + neither) * (both + only_second) * (only_first + neither)
    if margins == 0:
        return 0.0
    product = both * neither - only_first * only_second
    half = (both + only_first + only_second + neither) / 2
    corrected = max(product - half, 0.0) if product > 0 else float(product)
    return corrected / math.sqrt(margins)


def _joined(first: float, second: float, phi: float) -> float:
    return math.sqrt(max(first * first - 2 * phi * first * second + second * second, 0.0))
