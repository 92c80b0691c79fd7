"""Two or more runs on the samples they share: differences, exact tests, adjusted p. Source: docs/metrics.md#two-runs,
#many-runs, #exports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from evaluation.metrics.answers import counted
from evaluation.metrics.columns import TRUE, Bools, Ints
from evaluation.metrics.faithfulness import paired_effect
from evaluation.metrics.families import family_words
from evaluation.metrics.intervals import Interval, clustering
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.significance import detectable_difference
from evaluation.metrics.undecided import RANGES, Range, accuracy_ranges, could_turn, difference_range


@dataclass(frozen=True, slots=True)
class Comparison:
    """One pair of runs on their n common trajectories: the row of the comparison export, with further details.

    ``a_only``, ``b_only``: samples that only this run answers correctly. ``difference`` = accuracy_b − accuracy_a =
    (b_only − a_only) / n, with Newcombe's ``interval`` and, with any cluster larger than 1, the ``clustered`` one.
    ``dropped_a``, ``dropped_b``: trajectories without a partner, or with an answer that does not count. ``detectable``:
    the smallest difference that can be detected with 80% power. ``clusters``: the number of clusters of the n. Without
    a common trajectory everything except counts is None.

    ``p_value``: McNemar's test. ``p_cluster``: the sign-flip test over clusters, which equals ``p_value`` if each
    cluster has one of the n, and is the valid one otherwise. ``p_holm`` adjusts it, and ties use it everywhere.
    ``p_family``, ``p_family_size``: the family of the adjustment (``evaluation.metrics.families``). ``range_a``,
    ``range_b``: the accuracies that undecided answers allow, if both runs have an answer.
    """

    model_a: str
    model_b: str
    n: int
    dropped_a: int
    dropped_b: int
    both: int
    neither: int
    a_only: int
    b_only: int
    accuracy_a: float | None
    accuracy_b: float | None
    difference: float | None
    p_value: float | None
    p_cluster: float | None
    interval: Interval | None
    clustered: Interval | None
    deff: float | None
    detectable: float | None
    clusters: int
    p_holm: float | None = None
    p_family: str = ""
    p_family_size: int = 0
    range_a: Range = (None, None)
    range_b: Range = (None, None)

    @property
    def range(self) -> Range:
        """The differences that undecided answers allow."""
        return difference_range(self.range_a, self.range_b)

    @property
    def could_turn(self) -> bool:
        """Whether the undecided answers could give the difference the other sign."""
        return could_turn(self.difference, *self.range)

    @property
    def ranges(self) -> dict[str, float | None]:
        """The same by the names of docs/metrics.md#exports."""
        ends = (*self.range_a, *self.range_b, *self.range)
        return dict(zip(RANGES, ends, strict=True))

    @property
    def family_words(self) -> str:
        return family_words(self.p_family, self.p_family_size)

    @property
    def shares_clusters(self) -> bool:
        """Whether trajectories share clusters, so that McNemar's p alone is too liberal."""
        return self.clusters < self.n

    @property
    def p_decisive(self) -> float | None:
        """The p to go by: by cluster where trajectories share one, else McNemar's."""
        return self.p_cluster if self.shares_clusters else self.p_value

    @property
    def needed(self) -> int | None:
        """The number of similar trajectories that would detect this difference with 80% power, if it were the true one:
        n · (detectable / difference)², which solves ``detectable_difference`` for n. None without a difference.
        """
        if not self.difference or self.detectable is None:
            return None
        return math.ceil(self.n * (self.detectable / self.difference) ** 2)

    @property
    def least_p_cluster(self) -> float | None:
        """The smallest p that a sign flip of this many clusters can give: 2 / 2^clusters. None without clusters."""
        return min(1.0, 2.0 ** (1 - self.clusters)) if self.clusters else None


class Results(Protocol):
    """The columns of a run needed for comparisons, n rows. ``ScoreColumns`` has them, and so do stored scores."""

    @property
    def sample(self) -> Ints: ...
    @property
    def correct(self) -> Ints: ...
    @property
    def undecided(self) -> Bools: ...
    def __len__(self) -> int: ...


class Clustered(Protocol):
    """The columns of samples needed for comparisons. ``SampleColumns`` has them."""

    @property
    def cluster(self) -> Ints: ...


@dataclass(frozen=True)
class Pairing:
    """Rows of two runs that belong together: ``first[i]`` and ``second[i]`` are trajectories of the same sample."""

    first: Ints
    second: Ints


def common_rows(a: Results, b: Results, settings: MetricSettings) -> Pairing:
    """Pairs of rows of the same sample, the k-th trajectory of a sample in one run with the k-th in the other.

    Rows whose answer does not count in either are omitted: see ``evaluation.metrics.answers.counted``. Ordered by
    sample.
    """
    return _counted(paired_rows(a.sample, b.sample), a, b, settings)


def _counted(pairing: Pairing, a: Results, b: Results, settings: MetricSettings) -> Pairing:
    first, second = pairing.first, pairing.second
    both = counted(a.correct[first], a.undecided[first], settings)
    both &= counted(b.correct[second], b.undecided[second], settings)
    return Pairing(first[both], second[both])


def paired_rows(a: Ints, b: Ints) -> Pairing:
    """Return all pairs of rows of the same sample, with any answers; ``a``, ``b``: the samples of the rows."""
    _, first, second = np.intersect1d(_keys(a), _keys(b), assume_unique=True, return_indices=True)
    return Pairing(first.astype(np.int64), second.astype(np.int64))


def compare(
    samples: Clustered,
    a: Results,
    b: Results,
    settings: MetricSettings,
    names: tuple[str, str] = ("a", "b"),
    only: Bools | None = None,
) -> Comparison:
    """Compare two runs of the same benchmark version, scored with the same settings, on their common trajectories.

    ``only``: (m,) samples to use, default all. Undecided answers count as incorrect unless they are omitted. A
    comparison never counts a missing sample as incorrect (docs/metrics.md#evaluated-samples).
    """
    there = paired_rows(a.sample, b.sample)
    if only is not None:
        kept = only[a.sample[there.first]]
        there = Pairing(there.first[kept], there.second[kept])
    range_a, range_b = accuracy_ranges(
        (a.correct[there.first], a.undecided[there.first]), (b.correct[there.second], b.undecided[there.second])
    )
    pairing = _counted(there, a, b, settings)
    right_a = (a.correct[pairing.first] == TRUE).astype(np.int64)
    right_b = (b.correct[pairing.second] == TRUE).astype(np.int64)
    cluster = samples.cluster[a.sample[pairing.first]]
    effect = paired_effect(right_a, right_b, cluster)
    table, n = effect.table, effect.table.n
    deff = clustering((right_b - right_a).astype(np.float64), cluster).deff if n else None
    rows_a, rows_b = (len(s) if only is None else int(only[s.sample].sum()) for s in (a, b))
    return Comparison(
        model_a=names[0],
        model_b=names[1],
        n=n,
        dropped_a=rows_a - n,
        dropped_b=rows_b - n,
        both=table.both,
        neither=table.neither,
        a_only=table.lost,
        b_only=table.gained,
        accuracy_a=table.before,
        accuracy_b=table.after,
        difference=table.difference,
        p_value=effect.p_value,
        p_cluster=effect.p_cluster,
        interval=effect.interval,
        clustered=effect.clustered,
        deff=deff,
        detectable=_detectable(table.lost, table.gained, n, deff),
        clusters=len(np.unique(cluster)),
        range_a=range_a,
        range_b=range_b,
    )


_MOST_ROLLOUTS = 1 << 20


def _keys(sample: Ints) -> Ints:
    """A number for each row, different for each (sample, how many rows of it came before)."""
    order = np.argsort(sample, kind="stable")
    ordered = sample[order]
    first = np.searchsorted(ordered, ordered)
    keys = np.empty(len(sample), np.int64)
    keys[order] = ordered * _MOST_ROLLOUTS + np.arange(len(sample)) - first
    return keys


def _at(keys: Ints, values: Ints | Bools, wanted: Ints) -> Ints:
    """``values`` at the rows whose key is ``wanted``."""
    order = np.argsort(keys)
    return np.asarray(values[order][np.searchsorted(keys[order], wanted)])


def _detectable(a_only: int, b_only: int, n: int, deff: float | None) -> float | None:
    if n == 0:
        return None
    return detectable_difference((a_only + b_only) / n, (a_only - b_only) / n, n / deff if deff else n)
