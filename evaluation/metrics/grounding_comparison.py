"""Comparison of the grounding of two runs, on the samples in the grounding population of both: grounded or not, and how
well, as paired differences. Source: docs/metrics.md#population, #ratios, #two-runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from evaluation.metrics.columns import Bools, Floats, Ints
from evaluation.metrics.comparison import Clustered, paired_rows
from evaluation.metrics.faithfulness import paired_effect
from evaluation.metrics.intervals import Interval
from evaluation.metrics.resampling import clustered_difference
from evaluation.metrics.significance import sampled_sign_flip


@dataclass(frozen=True, slots=True)
class LookComparison:
    """Two runs on the ``n`` samples that are in the grounding population of both, from ``clusters`` images.

    ``a_only``, ``b_only``: only that run is grounded. ``difference`` = grounded_b − grounded_a, with Newcombe's
    ``interval`` and, with any cluster larger than 1, the ``clustered`` one; ``p_value`` is McNemar's, ``p_cluster`` of
    the sign flip over clusters. ``ioa_difference`` = ioa_b − ioa_a, the mean IoA of each, with an interval by cluster;
    ``ioa_p`` of the sampled sign flip, of ``draws`` draws from ``seed``. ``dropped_a``, ``dropped_b``: those in the
    population of one run alone. All but counts, draws and seed is None without a common sample.
    """

    n: int
    clusters: int
    dropped_a: int
    dropped_b: int
    both: int
    a_only: int
    b_only: int
    neither: int
    grounded_a: float | None
    grounded_b: float | None
    difference: float | None
    interval: Interval | None
    clustered: Interval | None
    p_value: float | None
    p_cluster: float | None
    ioa_a: float | None
    ioa_b: float | None
    ioa_difference: float | None
    ioa_interval: Interval | None
    ioa_p: float | None
    draws: int
    seed: int

    @property
    def shares_clusters(self) -> bool:
        """Whether samples share an image, so that McNemar's p alone is too liberal."""
        return self.clusters < self.n


class GroundedRun(Protocol):
    """The columns of a run needed here, n rows. ``ScoreColumns`` has them, and so do stored scores."""

    @property
    def sample(self) -> Ints: ...
    @property
    def in_population(self) -> Bools: ...
    @property
    def grounded(self) -> Bools: ...
    @property
    def ioa(self) -> Floats: ...


def compare_grounding(samples: Clustered, a: GroundedRun, b: GroundedRun) -> LookComparison:
    """Compares where two runs looked that were scored with the same settings.

    Answers play no part: a sample counts whether or not its answers do. Range of shares and IoA 0..1, of differences
    −1..1.
    """
    pairing = paired_rows(a.sample, b.sample)
    kept = a.in_population[pairing.first] & b.in_population[pairing.second]
    first, second = pairing.first[kept], pairing.second[kept]
    cluster = samples.cluster[a.sample[first]]
    effect = paired_effect(a.grounded[first].astype(np.int64), b.grounded[second].astype(np.int64), cluster)
    table, n = effect.table, len(first)
    ioa_a, ioa_b = a.ioa[first], b.ioa[second]
    test = sampled_sign_flip(ioa_b - ioa_a, cluster)
    return LookComparison(
        n=n,
        clusters=len(np.unique(cluster)),
        dropped_a=int(a.in_population.sum()) - n,
        dropped_b=int(b.in_population.sum()) - n,
        both=table.both,
        a_only=table.lost,
        b_only=table.gained,
        neither=table.neither,
        grounded_a=table.before,
        grounded_b=table.after,
        difference=table.difference,
        interval=effect.interval,
        clustered=effect.clustered,
        p_value=effect.p_value,
        p_cluster=effect.p_cluster,
        ioa_a=float(ioa_a.mean()) if n else None,
        ioa_b=float(ioa_b.mean()) if n else None,
        ioa_difference=float((ioa_b - ioa_a).mean()) if n else None,
        ioa_interval=clustered_difference(ioa_a, ioa_b, cluster),
        ioa_p=test.p_value,
        draws=test.draws,
        seed=test.seed,
    )
