"""Resampling beyond one interval: paired differences by simulation and exactly, and ranks of many models at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from annotation.statistics import DRAWS, SEED, Interval, cluster_totals, dense_codes, resampled_totals
from evaluation.metrics.columns import Floats, Ints
from evaluation.metrics.intervals import ratio_interval

PAIRED_DRAWS = 10_000
"""Draws of a paired bootstrap, and of a joint bootstrap for ranks."""


def paired_bootstrap(lost: int, gained: int, n: int, *, draws: int = PAIRED_DRAWS, seed: int = SEED) -> Interval | None:
    """95% percentile interval of (gained − lost) / n over resamples of n independent pairs; None without pairs.

    A resample only decides how many of its n pairs are lost, gained or equal, so that is what is drawn.
    Raises ``ValueError`` when the counts do not fit. Source: docs/metrics.md#statistics.
    """
    _check_counts(lost, gained, n)
    if n == 0:
        return None
    shares = [lost / n, gained / n, (n - lost - gained) / n]
    drawn = np.random.default_rng(seed).multinomial(n, shares, size=draws)
    low, high = np.quantile((drawn[:, 1] - drawn[:, 0]) / n, (0.025, 0.975), method="inverted_cdf")
    return Interval(float(low), float(high), "paired-bootstrap", {"draws": draws, "seed": seed})


def clustered_difference(
    first: Floats | Ints, second: Floats | Ints, cluster: Ints, *, draws: int = DRAWS, seed: int = SEED
) -> Interval | None:
    """Cluster bootstrap interval of mean(second) − mean(first) on the same samples, (n,) each, in their unit; None
    below 20 clusters. With more clusters than can be drawn quickly it is the clustered t, as ``ratio_interval`` says.
    Source: docs/metrics.md#ratios."""
    return ratio_interval((second - first).astype(np.float64), np.ones(len(first)), cluster, draws=draws, seed=seed)


def resampled_difference(first: Ints, second: Ints, cluster: Ints) -> Interval | None:
    """95% bootstrap interval of mean(second) − mean(first) of yes/no results on the same samples, (n,) each, −1..1.

    The paired one where each cluster has one sample, else that of ``clustered_difference``; None without samples.
    Source: docs/metrics.md#statistics, #ratios.
    """
    if dense_codes(cluster)[1] < len(cluster):
        return clustered_difference(first, second, cluster)
    return paired_bootstrap(int((first > second).sum()), int((second > first).sum()), len(first))


def resampled_values(
    numerators: Floats, denominators: Floats, cluster: Ints, *, draws: int = PAIRED_DRAWS, seed: int = SEED
) -> Iterator[Floats]:
    """Values Σ numerator / Σ denominator of m models over joint cluster draws, in blocks (at most 500 draws, m).

    ``numerators``, ``denominators``: (n, m) on common samples; every draw takes the same clusters for all models, so
    differences between models keep their pairing. NaN where a denominator is 0.
    """
    top, bottom = cluster_totals(numerators, cluster), cluster_totals(denominators, cluster)
    models, (bottom, of) = top.shape[1], _different_columns(bottom)
    totals = np.column_stack([top, bottom])
    for block, start in enumerate(range(0, draws, 500)):
        drawn = resampled_totals(totals, min(500, draws - start), seed + block)
        above, below = drawn[:, :models], drawn[:, models:][:, of]
        with np.errstate(divide="ignore", invalid="ignore"):
            yield np.where(below != 0, above / below, np.nan)


def _different_columns(columns: Floats) -> tuple[Floats, list[int]]:
    """The different ones, and which of them each column is: models with nothing missing share their denominators."""
    places: dict[bytes, int] = {}
    of = [places.setdefault(column.tobytes(), len(places)) for column in columns.T]
    first = [of.index(place) for place in range(len(places))]
    return columns[:, first], of


def _check_counts(lost: int, gained: int, n: int) -> None:
    if min(lost, gained) < 0 or lost + gained > n:
        raise ValueError(f"{lost} lost and {gained} gained of {n} pairs: counts that fit are needed.")
