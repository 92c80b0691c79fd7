"""Models over several benchmarks: the macro mean, its interval and ranks, images drawn within each benchmark.

The benchmarks themselves are not drawn: the interval says nothing of other benchmarks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.statistics import MIN_CLUSTERS, SEED, dense_codes
from evaluation.metrics.columns import Floats, Ints
from evaluation.metrics.ranking import Standing, standings_of, totals_ratio
from evaluation.metrics.resampling import PAIRED_DRAWS, resampled_values

APART = 1000
"""The distance of the seeds of two benchmarks: each block of draws uses one, so that no two draw the same images."""
SAME = 1e-9


@dataclass(frozen=True)
class Part:
    """m models on the n samples of one benchmark: what each sample adds to the metric of each model, above and below
    the line, (n, m), and its image, (n,)."""

    numerators: Floats
    denominators: Floats
    cluster: Ints

    @property
    def clusters(self) -> int:
        return dense_codes(self.cluster)[1]

    def makes(self, values: Floats) -> bool:
        """Whether ``values`` (m,) are what the samples add up to."""
        return bool(np.allclose(totals_ratio(self.numerators, self.denominators), values, 0, SAME, equal_nan=True))


@dataclass(frozen=True)
class Macro:
    """In the order of the models: ``standings``, whose values are macro means, and the ``ends`` of their 95% intervals,
    None if nothing is drawn. ``draws``: then 0.
    """

    standings: tuple[Standing, ...]
    ends: tuple[tuple[float, float] | None, ...]
    draws: int
    seed: int


def macro_ranking(
    values: Floats, parts: Sequence[Part], *, higher_is_better: bool = True, draws: int = PAIRED_DRAWS, seed: int = SEED
) -> Macro:
    """The mean over b benchmarks of ``values`` (b, m), every benchmark with one weight, in their unit; NaN: a model
    without a value, which has no mean.

    Interval: 2.5 and 97.5 percentiles of that mean over draws in which the images of each benchmark are drawn again,
    the same for all models; ranks by the same draws. ``parts``: what the values are made of, a benchmark each. Where
    one makes other values, where there are none, and below 20 clusters on any, nothing is drawn.
    """
    means = values.mean(axis=0)
    ends: list[tuple[float, float] | None] = [None] * len(means)
    if not len(means) or not _can_be_drawn(values, parts):
        return Macro(standings_of(means, None, higher_is_better), tuple(ends), 0, seed)
    each = [
        resampled_values(part.numerators, part.denominators, part.cluster, draws=draws, seed=seed + place * APART)
        for place, part in enumerate(parts)
    ]
    drawn = [np.mean(blocks, axis=0) for blocks in zip(*each, strict=True)]
    for model, column in enumerate(np.concatenate(drawn).T):
        known = column[np.isfinite(column)]
        if np.isfinite(means[model]) and len(known) * 2 >= draws:
            low, high = np.quantile(known, (0.025, 0.975))
            ends[model] = float(low), float(high)
    return Macro(standings_of(means, drawn, higher_is_better), tuple(ends), draws, seed)


def _can_be_drawn(values: Floats, parts: Sequence[Part]) -> bool:
    return len(parts) == len(values) and all(
        part.clusters >= MIN_CLUSTERS and part.makes(row) for part, row in zip(parts, values, strict=True)
    )
