"""When accuracy and grounding part during training. Source: docs/metrics.md#checkpoints.

Every later step is compared with the first one on the same samples, and what is tested is the difference of the two
changes. That one change is significant and the other is not says nothing about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotation.statistics import Z95, cluster_totals, dense_codes
from evaluation.metrics.columns import UNKNOWN, Ints
from evaluation.metrics.intervals import clustering, t_quantile
from evaluation.metrics.significance import Z80, holm, sign_flip

LEVEL = 0.05
FEW = 10
"""Clusters with a change below which the standard error says too little."""


@dataclass(frozen=True)
class Outcomes:
    """The results on n samples at k steps, in the order of the steps.

    Attributes:
        correct: (k, n) 1 or 0; UNKNOWN without an answer that counts.
        grounded: (k, n) 1 or 0; UNKNOWN outside the grounding population.
        cluster: (n,) codes of images.
    """

    correct: Ints
    grounded: Ints
    cluster: Ints


@dataclass(frozen=True, slots=True)
class StepChange:
    """A step against the first one, on the ``n`` samples from ``clusters`` images that are in the grounding population
    of both and have an answer that counts in both. Shares, −1 to 1; None without such a sample.

    Attributes:
        accuracy, grounding: their changes; ``apart`` = accuracy − grounding, −2 to 2, with its 95 % interval.
        p: exact sign flip over images of ``apart``; ``p_holm``: adjusted over the later steps.
        least_p: the smallest p that is possible with this number of images.
        detectable: the smallest true value of ``apart`` that is found with 80 % power, before the adjustment; None
            with fewer than ``FEW`` images that changed.
    """

    n: int
    clusters: int
    accuracy: float | None = None
    grounding: float | None = None
    apart: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    least_p: float | None = None
    detectable: float | None = None
    p_holm: float | None = None

    @property
    def separated(self) -> bool:
        return self.p_holm is not None and self.p_holm < LEVEL


@dataclass(frozen=True)
class Separation:
    """``changes``: of each step after the first, in order. ``first``: the index among them of the first one at which
    the changes of accuracy and grounding differ, None if there is none. ``tested``: number of tested steps.
    """

    changes: Sequence[StepChange]
    first: int | None
    tested: int

    @property
    def within_reach(self) -> bool:
        """Whether any step has enough images to detect the largest possible difference."""
        least = (one.least_p for one in self.changes if one.least_p is not None)
        return any(p * self.tested < LEVEL for p in least)


def separation(outcomes: Outcomes) -> Separation:
    """Find the first step at which grounding separates from accuracy.

    With a_t, g_t in {0, 1} whether a sample is correct and grounded at step t: d = (a_t − a_0) − (g_t − g_0), p_t is
    the exact sign flip of Σ d over image clusters, Holm adjusts over all later steps, and the first step is the
    smallest t with adjusted p < .05. Chance of a step where there is none: at most 5 % for the whole series. Undefined
    with fewer than two steps, and for a step without a common sample.

    Example: 8 images of one sample each, at first none correct and all grounded. Then all are correct and grounded:
    d = 1 for each, p = 2/2^8 = .0078, and with one later step it has separated. After 5 images p is .0625: it has not.
    """
    changes = [_change(outcomes, step) for step in range(1, len(outcomes.correct))]
    adjusted = holm([one.p for one in changes])
    changes = [replace(one, p_holm=p) for one, p in zip(changes, adjusted, strict=True)]
    first = next((place for place, one in enumerate(changes) if one.separated), None)
    return Separation(changes, first, sum(p is not None for p in adjusted))


def _change(outcomes: Outcomes, step: int) -> StepChange:
    a0, a1, g0, g1 = (rows[at] for rows in (outcomes.correct, outcomes.grounded) for at in (0, step))
    common = (a0 != UNKNOWN) & (a1 != UNKNOWN) & (g0 != UNKNOWN) & (g1 != UNKNOWN)
    n = int(common.sum())
    if not n:
        return StepChange(0, 0)
    accuracy, grounding, cluster = (a1 - a0)[common], (g1 - g0)[common], outcomes.cluster[common]
    apart = accuracy - grounding
    whole = np.rint(cluster_totals(apart.astype(np.float64), cluster)[:, 0]).astype(np.int64)
    found = clustering(apart.astype(np.float64), cluster)
    clusters, mean = dense_codes(cluster)[1], float(apart.mean())
    reach = None if found.se is None else t_quantile(1 - LEVEL / 2, clusters - 1) * found.se
    few = int((whole != 0).sum()) < FEW
    return StepChange(
        n=n,
        clusters=clusters,
        accuracy=float(accuracy.mean()),
        grounding=float(grounding.mean()),
        apart=mean,
        low=None if reach is None else max(-2.0, mean - reach),
        high=None if reach is None else min(2.0, mean + reach),
        p=sign_flip(whole),
        least_p=min(1.0, 2.0 ** (1 - clusters)),
        detectable=None if few or found.se is None else (Z95 + Z80) * found.se,
    )


@dataclass(frozen=True)
class Flips:
    """The changes from one step to a later one. ``correct``, ``incorrect``: samples that became so, among ``answered``
    with an answer that counts at both; ``grounded``, ``ungrounded``: among ``looked``, in the population of both.
    ``quadrants``: (4, 4) counts, from the quadrant of the row to that of the column, of samples in both of these.
    """

    answered: int
    correct: int
    incorrect: int
    looked: int
    grounded: int
    ungrounded: int
    quadrants: Ints


def flips(outcomes: Outcomes) -> Flips:
    """Count what changed between the two steps of ``outcomes``; quadrants in the order G+A+, G+A−, G−A+, G−A−."""
    (a0, a1), (g0, g1) = outcomes.correct, outcomes.grounded
    answered, looked = (a0 != UNKNOWN) & (a1 != UNKNOWN), (g0 != UNKNOWN) & (g1 != UNKNOWN)
    both = answered & looked
    before, after = (2 * (1 - g[both]) + (1 - a[both]) for a, g in ((a0, g0), (a1, g1)))
    return Flips(
        answered=int(answered.sum()),
        correct=int((answered & (a1 > a0)).sum()),
        incorrect=int((answered & (a1 < a0)).sum()),
        looked=int(looked.sum()),
        grounded=int((looked & (g1 > g0)).sum()),
        ungrounded=int((looked & (g1 < g0)).sum()),
        quadrants=np.bincount(4 * before + after, minlength=16).reshape(4, 4).astype(np.int64),
    )


def smoothed(values: Sequence[float | None], width: int) -> list[float | None]:
    """The mean of each value and its neighbors, ``width`` of them in all (odd), fewer at the ends; undefined values are
    omitted and stay undefined. It is for the eye only. Example, width 3: 0, 3, 6 become 1.5, 3, 4.5."""
    half = width // 2
    found: list[float | None] = []
    for place, value in enumerate(values):
        near = [one for one in values[max(0, place - half) : place + half + 1] if one is not None]
        found.append(None if value is None else sum(near) / len(near))
    return found
