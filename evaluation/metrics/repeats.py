"""Repeated rollouts: several trajectories of one run on one sample, and how much they change its accuracy.

Each sample is averaged first, then the samples: a sample with many rollouts has the same weight as one with two. The
variance between rollouts of a sample is reported separately.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from annotation.statistics import dense_codes
from evaluation.metrics.columns import Bools, Floats, Ints
from evaluation.metrics.intervals import Interval, clustering, mean_interval, rate_interval
from evaluation.metrics.undecided import Range, mean_range, share_range

LEAST = 2
"""Rollouts that count, from which on a sample is repeated."""
NO_WIDTH = 1e-9
"""An interval narrower than this has none: every image has the same mean."""


@dataclass(frozen=True)
class Rollouts:
    """r rollouts that count in accuracy, without an intervention.

    ``sample``, ``cluster``: (r,) sample of each, and its image. ``right``: (r,) 1 or 0. ``first``: (r,) it is the
    rollout that other metrics are made of.
    """

    sample: Ints
    right: Floats
    first: Bools
    cluster: Ints


@dataclass(frozen=True)
class OpenRollouts:
    """q rollouts that are correct, incorrect or undecided, without an intervention, even if ``undecided_answer`` omits
    them.

    ``sample``, ``first``: as of ``Rollouts``. ``sure``: (q,) 1 if correct; ``possible``: 1 if correct or undecided.
    """

    sample: Ints
    sure: Floats
    possible: Floats
    first: Bools

    def ranges(self) -> dict[str, Range]:
        """Return ranges over the samples with at least two rollouts: of ``value`` and ``first``, and of the counts
        ``always``, ``some`` and ``never`` of ``RolloutStatistics``.

        A sample is surely in ``some`` if a rollout is correct and one is incorrect. It can be if not all are correct
        and not all are incorrect. Example: correct, undecided and incorrect, incorrect: value 0.25 to 0.5, always 0 to
        1, some 0 to 1, never 1.
        """
        several = _several(self.sample)
        sample, sure, possible = self.sample[several], self.sure[several], self.possible[several]
        code, n = dense_codes(sample)
        size = np.bincount(code, minlength=n)
        right, at_most = (np.bincount(code, weights=part, minlength=n) for part in (sure, possible))
        first = self.first[several]
        return {
            "value": mean_range(sample, sure, possible),
            "first": share_range(sure[first], possible[first], np.ones(int(first.sum()))),
            "always": _counts(right == size, at_most == size),
            "some": _counts((right > 0) & (at_most < size), (right < size) & (at_most > 0)),
            "never": _counts(at_most == 0, right == 0),
        }


def _counts(surely: Bools, possibly: Bools) -> Range:
    return float(surely.sum()), float(possibly.sum())


def _several(sample: Ints) -> Bools:
    """Return which rollouts belong to a sample with at least two of them."""
    code, n = dense_codes(sample)
    found: Bools = np.bincount(code, minlength=n)[code] >= LEAST
    return found


@dataclass(frozen=True, slots=True)
class RolloutStatistics:
    """``rollouts`` on ``n`` samples of ``clusters`` images, from ``least`` to ``most`` on each.

    ``value``: mean over samples of the share of correct rollouts of each, 0..1, with its 95% interval and ``se``, the
    standard error between images, None with one image: of both samples and draws. ``within``: variance of rollouts
    about the mean of their sample, 0..0.5, pooled; ``se_draws``: the standard error of ``value`` from it alone.
    ``always``, ``some``, ``never``: samples that are correct in every rollout, in some, in none. ``first``: share of
    correct ones among the ``first_n`` first rollouts that count; None without any. ``ranges``: lowest and highest
    ``value``, ``first``, ``always``, ``some`` and ``never`` that undecided answers allow.
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
    ranges: Mapping[str, Range] = field(default_factory=dict)


def repeated(found: Rollouts) -> Rollouts:
    """Return the rollouts that count in accuracy, of samples that have at least two of them."""
    kept = _several(found.sample)
    return Rollouts(found.sample[kept], found.right[kept], found.first[kept], found.cluster[kept])


def rollout_statistics(found: Rollouts, left: OpenRollouts | None = None) -> RolloutStatistics | None:
    """Return statistics of ``repeated`` rollouts of samples; None without any. ``left``: the ranges that undecided
    answers allow.

    With m_i the mean of the k_i >= 2 rollouts x_ij of sample i: value = Σ m_i / n, σ² = Σ_i Σ_j (x_ij - m_i)² / Σ (k_i
    - 1), se_draws² = (1/n²) Σ σ²/k_i, which is σ²/(k n) where all k_i are k. Example: 1, 1 and 1, 0 of two samples:
    value 0.75, σ² = 0.5 / 2, se_draws² = 0.25 / 4.
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
    return RolloutStatistics(
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
        ranges=left.ranges() if left else {},
    )


def _interval(means: Floats, cluster: Ints) -> Interval | None:
    """mean ± t SE between images; where that has no width or leaves 0..1, what a rate of yes/no samples would have,
    which is wider."""
    found = mean_interval(means, cluster)
    inside = found is not None and found.high - found.low > NO_WIDTH and found.low >= 0 and found.high <= 1
    return found if inside else rate_interval(means, cluster)
