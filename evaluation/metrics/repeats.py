"""Repeated rollouts: several trajectories of one run on one sample, and how much their draws move its accuracy.

Each sample is averaged first, then the samples: a sample with many rollouts counts as much as one with two. What the
rollouts of a sample differ by stands apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from annotation.statistics import dense_codes
from evaluation.metrics.answers import counted
from evaluation.metrics.columns import TRUE, Bools, Floats, Ints, SampleColumns, ScoreColumns
from evaluation.metrics.intervals import Interval, clustering, mean_interval, rate_interval
from evaluation.metrics.settings import MetricSettings

LEAST = 2
"""Rollouts that count, from which on a sample is repeated."""
NO_WIDTH = 1e-9
"""An interval narrower than this has none: every picture has the same mean."""


@dataclass(frozen=True)
class Rollouts:
    """r rollouts that count in accuracy, of samples with at least two of them.

    ``sample``, ``cluster``: (r,) sample of each, and its picture. ``right``: (r,) 1 or 0. ``first``: (r,) it is the
    rollout that other metrics are made of.
    """

    sample: Ints
    right: Floats
    first: Bools
    cluster: Ints

    def on(self, samples: Ints) -> Rollouts:
        """Those on these samples."""
        here = np.isin(self.sample, samples)
        return Rollouts(self.sample[here], self.right[here], self.first[here], self.cluster[here])


@dataclass(frozen=True, slots=True)
class Repeats:
    """``rollouts`` on ``n`` samples of ``clusters`` pictures, from ``least`` to ``most`` on each.

    ``value``: mean over samples of the share of right rollouts of each, 0..1, with its 95 % interval and ``se``, the
    standard error between pictures, None with one picture: of both samples and draws. ``within``: variance of rollouts
    about the mean of their sample, 0..0.5, pooled; ``se_draws``: the standard error of ``value`` that it makes alone.
    ``always``, ``some``, ``never``: samples right in every rollout, in some, in none. ``first``: share right of the
    ``first_n`` first rollouts that count; None without any.
    """

    n: int
    clusters: int
    rollouts: int
    least: int
    mean: float
    most: int
    value: float
    se: float | None
    within: float
    se_draws: float
    always: int
    some: int
    never: int
    first_n: int
    first_right: int
    first: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


def rollouts_of(
    samples: SampleColumns, first: ScoreColumns, further: Sequence[ScoreColumns], settings: MetricSettings
) -> Rollouts:
    """Of the scores of the first rollouts and of the further ones, without an intervention: those that count in
    accuracy (``evaluation.metrics.answers.counted``), where at least two of a sample do."""
    parts = [first, *further]
    sample = np.concatenate([part.sample for part in parts])
    correct = np.concatenate([part.correct for part in parts])
    inside = counted(correct, np.concatenate([part.undecided for part in parts]), settings)
    each = np.bincount(sample[inside], minlength=len(samples))
    inside = inside & (each[sample] >= LEAST)
    of_first = np.arange(len(sample)) < len(first)
    return Rollouts(
        sample[inside], (correct[inside] == TRUE).astype(np.float64), of_first[inside], samples.cluster[sample[inside]]
    )


def repeats(found: Rollouts) -> Repeats | None:
    """How the rollouts of the samples turned out; None without a repeated sample.

    With m_i the mean of the k_i >= 2 rollouts x_ij of sample i: value = Σ m_i / n,
    σ² = Σ_i Σ_j (x_ij - m_i)² / Σ (k_i - 1), se_draws² = (1/n²) Σ σ²/k_i, which is σ²/(k n) where all k_i are k.
    Example: 1, 1 and 1, 0 of two samples: value 0.75, σ² = 0.5 / 2, se_draws² = 0.25 / 4.
    """
    if not len(found.sample):
        return None
    code, n = dense_codes(found.sample)
    k, right = np.bincount(code), np.bincount(code, weights=found.right)
    means = right / k
    cluster = np.zeros(n, np.int64)
    cluster[code] = found.cluster
    # Σ_j (x_j − m)² of answers that are 1 or 0 is k m (1 - m).
    within = float((right * (1 - means)).sum() / (k - 1).sum())
    first_n, first_right = int(found.first.sum()), int(found.right[found.first].sum())
    one = _interval(means, cluster)
    return Repeats(
        n=n,
        clusters=dense_codes(cluster)[1],
        rollouts=len(code),
        least=int(k.min()),
        mean=len(code) / n,
        most=int(k.max()),
        value=float(means.sum()) / n,
        se=clustering(means, cluster).se,
        within=within,
        se_draws=math.sqrt(within * float((1 / k).sum())) / n,
        always=int((right == k).sum()),
        some=int(((right > 0) & (right < k)).sum()),
        never=int((right == 0).sum()),
        first_n=first_n,
        first_right=first_right,
        first=first_right / first_n if first_n else None,
        ci_low=one.low if one else None,
        ci_high=one.high if one else None,
        ci_method=one.method if one else "",
        detail=one.detail if one else {},
    )


def _interval(means: Floats, cluster: Ints) -> Interval | None:
    """mean ± t SE between pictures; where that has no width or leaves 0..1, what a rate of yes/no samples would have,
    which is wider."""
    found = mean_interval(means, cluster)
    inside = found is not None and found.high - found.low > NO_WIDTH and found.low >= 0 and found.high <= 1
    return found if inside else rate_interval(means, cluster)
