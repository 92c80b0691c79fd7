"""Whether answers are more often correct when grounded: the difference with its interval, and the odds ratio.

The four counts are G+A+, G+A-, G-A+, G-A- of trajectories in the grounding population, in the order of every page. A
difference is no cause: evidence that is easy to find may also be easy to read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from annotation.statistics import DRAWS, SEED, Interval, bootstrap_interval, cluster_totals, dense_codes
from evaluation.metrics.columns import Floats, Ints, Quadrant
from evaluation.metrics.intervals import MOST_DRAWN_CELLS, mean_interval
from evaluation.metrics.undecided import Range

CELLS = len(Quadrant.NAMES)
HALF = 0.5
"""Haldane's: what is added to each cell when one is 0."""


@dataclass(frozen=True, slots=True)
class AccuracyGap:
    """``value`` = P(correct | grounded) - P(correct | not grounded), -1..1, and its basis.

    ``value`` and ``odds_ratio`` are None if no trajectory is grounded, or all are. ``halves_added``: 0.5 is added to
    each cell of the odds ratio, because one is 0. ``clusters``: images. The interval is None below 20 of them;
    ``detail`` has its draws and seed. ``low``, ``high``: the differences that undecided answers allow, None if unknown.
    """

    counts: Sequence[int]
    clusters: int
    value: float | None
    odds_ratio: float | None
    halves_added: bool
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    low: float | None = None
    high: float | None = None


def grounded_difference(
    quadrant: Ints, cluster: Ints, left_open: Range = (None, None), *, draws: int = DRAWS, seed: int = SEED
) -> AccuracyGap:
    """Compute the gap of the trajectories with these ``Quadrant`` codes (n,) in these clusters (n,); those outside are
    omitted. ``left_open``: the differences that undecided answers allow."""
    placed = quadrant != Quadrant.OUTSIDE
    quadrant, cluster = quadrant[placed], cluster[placed]
    counts = np.bincount(quadrant, minlength=CELLS).tolist()
    ratio, halves = odds_ratio(counts)
    low, high = left_open
    bare = AccuracyGap(counts, dense_codes(cluster)[1], accuracy_difference(counts), ratio, halves, low=low, high=high)
    one = difference_interval(quadrant, cluster, draws=draws, seed=seed)
    if one is None:
        return bare
    return replace(bare, ci_low=one.low, ci_high=one.high, ci_method=one.method, detail=one.detail)


def accuracy_difference(counts: Sequence[int]) -> float | None:
    """a/(a+b) - c/(c+d) of the four ``counts`` a, b, c, d, -1..1; None when a + b or c + d is 0.

    Example: 6, 2, 1, 3 is 3/4 - 1/4 = 0.5. Source: docs/metrics.md#ratios.
    """
    seen_right, seen_wrong, missed_right, missed_wrong = counts
    below = (seen_right + seen_wrong) * (missed_right + missed_wrong)
    return (seen_right * missed_wrong - seen_wrong * missed_right) / below if below else None


def odds_ratio(counts: Sequence[int]) -> tuple[float | None, bool]:
    """ad / bc of the four ``counts`` a, b, c, d, above 0, and whether 0.5 was added to each cell, as one of them is 0
    (Haldane 1956); (None, False) when a + b or c + d is 0.

    With halves added it may lean the other way than the difference of so few. Examples: 6, 2, 1, 3 is 9; 3, 0, 1, 2 is
    (3.5 · 2.5) / (0.5 · 1.5) = 11.67.
    """
    if accuracy_difference(counts) is None:
        return None, False
    halves = min(counts) == 0
    a, b, c, d = (count + HALF if halves else float(count) for count in counts)
    return a * d / (b * c), halves


def difference_interval(quadrant: Ints, cluster: Ints, *, draws: int = DRAWS, seed: int = SEED) -> Interval | None:
    """95% cluster bootstrap percentile interval of ``accuracy_difference``; None below 20 clusters or if it is
    undefined.

    Draws in which no trajectory or every trajectory is grounded are omitted and counted. With more clusters than can be
    drawn quickly (above 2 000 at the default draws) it is the clustered t of the linearised difference, as
    ``evaluation.metrics.intervals.ratio_interval``.
    """
    counts = np.bincount(quadrant, minlength=CELLS)
    difference = accuracy_difference(counts.tolist())
    if difference is None:
        return None
    totals = cluster_totals((quadrant[:, None] == np.arange(CELLS)).astype(np.float64), cluster)
    if len(totals) * draws > MOST_DRAWN_CELLS:
        return mean_interval(_shares(quadrant, counts, difference), cluster, least=-1.0, most=1.0)
    return bootstrap_interval(totals, _differences, draws=draws, seed=seed)


def _shares(quadrant: Ints, counts: Ints, difference: float) -> Floats:
    """(n,) numbers whose mean is the difference and whose clusters vary as it does: n times each one's part in it."""
    grounded = quadrant <= Quadrant.GPAM
    right = (quadrant == Quadrant.GPAP) | (quadrant == Quadrant.GMAP)
    seen, missed = int(counts[:2].sum()), int(counts[2:].sum())
    above, below = (right - counts[0] / seen) / seen, (right - counts[2] / missed) / missed
    return np.asarray(len(quadrant) * np.where(grounded, above, -below) + difference, dtype=np.float64)


def _differences(totals: Floats) -> Floats:
    """Return the differences (draws,) of totals (draws, 4); NaN where undefined."""
    a, b, c, d = totals.T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(a / (a + b) - c / (c + d), dtype=np.float64)
