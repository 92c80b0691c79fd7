"""Intervals used by both halves: Wilson's for a rate, and the percentile interval of a cluster bootstrap.

A *cluster* is a unit of resampling: the samples of one image. A statistic that can be bootstrapped here is a function
of totals over clusters (successes and trials, a table of counts), so a draw is a vector of how often each cluster was
drawn, and all draws are one matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Z95 = 1.959963984540054
"""The 97.5% point of the normal distribution."""
DRAWS = 2000
"""The number of draws of a bootstrap interval; ranks use more."""
SEED = 20260101
"""The default seed. It is shown with every interval that uses it."""
MIN_CLUSTERS = 20
"""With fewer clusters, there is no bootstrap interval."""

_CHUNK = 4_000_000
_FEW_PATTERNS = 64
_FEW_NUMBERS = 512
"""Pairs of whole numbers below this are counted, not sorted."""
_SMALL = 200_000
"""A bootstrap of at most this many cells is small: 1.6 MB of counts."""
_COUNTED = 250_000
"""Drawn clusters that are counted at once: as many as the processor keeps near."""
_WHOLE_32 = 2**24
"""Below this a float of 32 bits holds every whole number."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95% interval, its method ("wilson", "cluster-t", ...), and details to show with it (DEFF, seed, draws)."""

    low: float
    high: float
    method: str
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def halfwidth(self) -> float:
        """Half the width: the h in "p ± h"."""
        return (self.high - self.low) / 2


def wilson(successes: float, n: float, z: float = Z95) -> Interval | None:
    """Wilson's score interval of ``successes / n``, within 0..1; None when n is 0.

    With p = successes / n and d = 1 + z²/n: center (p + z²/2n) / d, half-width z/d · √(p(1−p)/n + z²/4n²).
    ``n`` may be an effective number of samples, not whole. Raises ``ValueError`` for successes outside 0..n.
    Source: docs/metrics.md#statistics. Example: ``wilson(2, 10)`` is 0.057 .. 0.510.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}: between 0 and n are needed.")
    if n == 0:
        return None
    p, spread = successes / n, z * z / n
    center = (p + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(p * (1 - p) / n + spread / (4 * n))
    low = 0.0 if successes == 0 else max(center - half, 0.0)
    high = 1.0 if successes == n else min(center + half, 1.0)
    return Interval(low, high, "wilson")


def cluster_totals(values: Floats, cluster: Ints | None) -> Floats:
    """Sums of the rows of ``values`` (n,) or (n, k) within each cluster of ``cluster`` (n,), as (clusters, k).

    Without ``cluster``, every row is its own cluster.
    """
    columns = values if values.ndim == 2 else values[:, None]
    if cluster is None:
        return columns
    codes, size = dense_codes(cluster)
    sums = [np.bincount(codes, weights=column, minlength=size) for column in columns.T]
    return np.column_stack(sums) if sums else np.zeros((size, 0))


def dense_codes(cluster: Ints) -> tuple[Ints, int]:
    """Return the codes renumbered 0, 1, ... in their order, without gaps, and their number."""
    low, high = (int(cluster.min()), int(cluster.max())) if len(cluster) else (0, -1)
    if high - low > 4 * len(cluster):
        found, codes = np.unique(cluster, return_inverse=True)
        return codes.astype(np.int64), len(found)
    present = np.bincount(cluster - low if low else cluster, minlength=1) > 0
    if low == 0 and present.all() and len(cluster):
        return cluster, len(present)
    return (np.cumsum(present) - 1)[cluster - low].astype(np.int64), int(present.sum())


def resampled_totals(totals: Floats, draws: int = DRAWS, seed: int = SEED) -> Floats:
    """Totals over ``draws`` resamples, with replacement, of the rows of ``totals`` (clusters, k), as (draws, k).

    Clusters with the same totals are interchangeable, so with few different ones their numbers are drawn at once from
    the multinomial distribution. Same totals, draws and seed give the same answer.
    """
    few = few_patterns(totals)
    if few is not None:
        patterns, multiplicity = few
        drawn = np.random.default_rng(seed).multinomial(len(totals), multiplicity / len(totals), size=draws)
        return np.asarray(drawn @ patterns, dtype=np.float64)
    if len(totals) * draws <= _CHUNK:
        return _counts(len(totals), draws, seed) @ totals
    weights = totals.astype(np.float32 if _exact_in_half(totals) else np.float64)
    parts = [part.astype(weights.dtype) @ weights for part in _drawn_parts(len(totals), draws, seed)]
    return np.concatenate(parts).astype(np.float64, copy=False)


def _exact_in_half(totals: Floats) -> bool:
    """Return whether every total of a resample is an integer that a 32-bit float represents exactly. Their sums are
    then the same in either width, and take half the time.
    """
    largest = np.abs(totals).max(initial=0)
    return bool(largest * len(totals) < _WHOLE_32 and np.array_equal(totals, np.rint(totals)))


def few_patterns(totals: Floats) -> tuple[Floats, Ints] | None:
    """Return the distinct rows of ``totals`` (clusters, k), and how often each occurs, if they are at most 64 and far
    fewer than the clusters and k <= 2; else None.
    """
    if totals.shape[1] > 2:
        return None
    most = min(_FEW_PATTERNS, len(totals) // 8)
    # The first rows suffice to exclude most cases with too many.
    if len(set(map(tuple, totals[:1000].tolist()))) > most:
        return None
    with np.errstate(invalid="ignore"):
        numbers = totals.astype(np.int64)
    width = int(numbers.max(initial=0)) + 1
    if width <= _FEW_NUMBERS and numbers.min(initial=0) >= 0 and np.array_equal(numbers, totals):
        counts = np.bincount(numbers[:, 0] * width + numbers[:, -1])
        codes = np.flatnonzero(counts)
        patterns = np.column_stack(np.divmod(codes, width))[:, -totals.shape[1] :].astype(np.float64)
        return (patterns, counts[codes]) if len(codes) <= most else None
    joined = totals[:, 0] + 1j * totals[:, -1]
    _, first, multiplicity = np.unique(joined, return_index=True, return_counts=True)
    return (totals[first], multiplicity) if len(first) <= most else None


def bootstrap_interval(
    totals: Floats, statistic: Callable[[Floats], Floats], *, draws: int = DRAWS, seed: int = SEED
) -> Interval | None:
    """Percentile interval of ``statistic`` over cluster bootstrap draws of ``totals`` (clusters, k).

    ``statistic`` maps totals (draws, k) to values (draws,), NaN where undefined; undefined draws are omitted and
    counted. None below 20 clusters, or when more than half of the draws are undefined. Source: docs/metrics.md#ratios.
    """
    if len(totals) < MIN_CLUSTERS:
        return None
    values = statistic(resampled_totals(totals, draws, seed))
    defined = values[np.isfinite(values)]
    if len(defined) * 2 < draws:
        return None
    low, high = _percentiles(defined)
    detail: dict[str, Any] = {"draws": draws, "seed": seed, "clusters": len(totals)}
    if len(defined) < draws:
        detail["undefined_draws"] = draws - len(defined)
    return Interval(low, high, "cluster-bootstrap", detail)


def _percentiles(values: Floats) -> tuple[float, float]:
    """Return the 2.5% and the 97.5% point, identical to ``np.quantile`` to the bit, which takes four times as long."""
    places = [(len(values) - 1) * share for share in (0.025, 0.975)]
    below = [math.floor(place) for place in places]
    above = [min(floor + 1, len(values) - 1) for floor in below]
    ordered = np.partition(values, [*below, *above])
    low, high = (
        _between(float(ordered[a]), float(ordered[b]), place - a)
        for a, b, place in zip(below, above, places, strict=True)
    )
    return low, high


def _between(low: float, high: float, share: float) -> float:
    """Return the point ``share`` of the way from ``low`` to ``high``, computed from the nearer end."""
    return high - (high - low) * (1 - share) if share >= 0.5 else low + (high - low) * share


def ratio(totals: Floats) -> Floats:
    """Return the first column divided by the second of ``totals`` (draws, 2), NaN where the second is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(totals[:, 1] != 0, totals[:, 0] / totals[:, 1], np.nan))


def _counts(size: int, draws: int, seed: int) -> Floats:
    """Return the counts of one bootstrap, cached for the next measure with the same number of clusters: a few large
    ones, and enough small ones for hundreds of slices of similar sizes.
    """
    return (_small_counts if size * draws <= _SMALL else _large_counts)(size, draws, seed)


@lru_cache(maxsize=64)
def _small_counts(size: int, draws: int, seed: int) -> Floats:
    return _fixed_counts(size, draws, seed)


@lru_cache(maxsize=2)
def _large_counts(size: int, draws: int, seed: int) -> Floats:
    return _fixed_counts(size, draws, seed)


def _fixed_counts(size: int, draws: int, seed: int) -> Floats:
    counts = np.empty((draws, size))
    at = 0
    for part in _drawn_parts(size, draws, seed):
        counts[at : at + len(part)] = part
        at += len(part)
    counts.setflags(write=False)
    return counts


def _drawn_parts(size: int, draws: int, seed: int) -> Iterator[Ints]:
    """Yield how often each of ``size`` clusters was drawn in each of ``draws`` resamples of ``size``, some draws at a
    time.

    The numbers do not depend on the sizes of the parts.
    """
    generator, step = np.random.default_rng(seed), max(1, _COUNTED // size)
    first = size * np.arange(step)[:, None]
    for at in range(0, draws, step):
        shape = min(step, draws - at), size
        places = generator.integers(0, size, size=shape)
        places += first[: shape[0]]
        yield np.bincount(places.ravel(), minlength=places.size).reshape(shape)
