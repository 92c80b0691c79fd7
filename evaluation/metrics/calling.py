"""Did calling tools help? One model with tools and without, on the same samples. Source: docs/metrics.md#calling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from evaluation.metrics.columns import FALSE, TRUE, Bools, Ints
from evaluation.metrics.comparison import Clustered, Pairing
from evaluation.metrics.faithfulness import paired_effect
from evaluation.metrics.intervals import Interval, rate_interval


class Answered(Protocol):
    """The columns of a run that are needed here, n rows."""

    @property
    def sample(self) -> Ints: ...
    @property
    def correct(self) -> Ints: ...
    @property
    def called(self) -> Bools: ...


@dataclass(frozen=True, slots=True)
class CallingEffect:
    """A run with tools against one without, on the samples that both have.

    Attributes:
        n: samples on which the run with tools made a call, from ``clusters`` images.
        benefit, harm: of these, incorrect without and correct with tools; the reverse.
        needless, futile: correct both ways; incorrect both ways.
        net: (benefit − harm) / n, with Newcombe's ``interval``, and with any cluster larger than 1 the ``clustered``
            one; ``p_value`` of McNemar's exact test, ``p_cluster`` of the sign flip over clusters. None without a call.
        uncalled, unmet: samples without a call, and those of them that are incorrect: a need that was not met;
            ``unmet_interval``: of their share.
    """

    n: int
    clusters: int
    benefit: int
    harm: int
    needless: int
    futile: int
    net: float | None
    interval: Interval | None
    clustered: Interval | None
    p_value: float | None
    p_cluster: float | None
    uncalled: int
    unmet: int
    unmet_interval: Interval | None

    def share(self, name: str) -> float | None:
        """Of the samples with a call, the share of ``benefit``, ``harm``, ``needless`` or ``futile``; None without
        any."""
        return getattr(self, name) / self.n if self.n else None

    @property
    def unmet_share(self) -> float | None:
        """Of the samples without a call, the share that is incorrect; None without any."""
        return self.unmet / self.uncalled if self.uncalled else None


def calling_effect(samples: Clustered, without: Answered, tools: Answered, pairing: Pairing) -> CallingEffect:
    """Compare the two on the rows of ``pairing``: ``first`` of the run without tools, ``second`` of the one with them.

    Example: of 10 samples with a call, 3 became correct, 1 incorrect, 4 were correct and 2 incorrect both ways:
    net +20 pp, p .625.
    """
    before = without.correct[pairing.first] == TRUE
    after = tools.correct[pairing.second] == TRUE
    called = tools.called[pairing.second]
    cluster = samples.cluster[without.sample[pairing.first]]
    effect = paired_effect(_codes(before[called]), _codes(after[called]), cluster[called])
    table = effect.table
    return CallingEffect(
        n=table.n,
        clusters=len(np.unique(cluster[called])),
        benefit=table.gained,
        harm=table.lost,
        needless=table.both,
        futile=table.neither,
        net=table.difference,
        interval=effect.interval,
        clustered=effect.clustered,
        p_value=effect.p_value,
        p_cluster=effect.p_cluster,
        uncalled=int((~called).sum()),
        unmet=int((~called & ~after).sum()),
        unmet_interval=rate_interval((~after[~called]).astype(np.float64), cluster[~called]),
    )


def _codes(correct: Bools) -> Ints:
    return np.where(correct, TRUE, FALSE).astype(np.int64)
