"""The outcomes of each sample in several runs, for paired statistics over checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.columns import UNKNOWN, Ints
from evaluation.metrics.separation import Outcomes
from evaluation.store.snapshot import Snapshot

_CORRECT = f"CASE WHEN NOT coalesce(counted, FALSE) THEN {UNKNOWN} WHEN verdict = 'yes' THEN 1 ELSE 0 END"
_GROUNDED = f"CASE WHEN NOT coalesce(population, FALSE) THEN {UNKNOWN} WHEN grounded THEN 1 ELSE 0 END"


@dataclass(frozen=True)
class SeenSamples:
    """The n samples of some runs, and a row of outcomes (n,) for each run, by run id."""

    cluster: Ints
    correct: Mapping[int, Ints]
    grounded: Mapping[int, Ints]

    def of(self, runs: Sequence[int]) -> Outcomes:
        """The outcomes of these runs, in their order. A run without a row has none on any sample."""
        none = np.full(len(self.cluster), UNKNOWN, np.int64)
        correct, grounded = ([of.get(run, none) for run in runs] for of in (self.correct, self.grounded))
        shape = len(runs), len(none)
        return Outcomes(np.array(correct).reshape(shape), np.array(grounded).reshape(shape), self.cluster)


def seen_samples(snapshot: Snapshot, where: str) -> SeenSamples:
    """Load what each run of a snapshot did on the samples that a condition selects. One statement."""
    found = snapshot.columns(
        f"SELECT run, sample, samples.cluster AS cluster, {_CORRECT} AS correct, {_GROUNDED} AS grounded "
        f"FROM rows JOIN samples USING (sample) WHERE evaluated AND scored AND {where}"
    )
    columns = {name: np.asarray(values, np.int64) for name, values in found.items()}
    samples, first, place = np.unique(columns["sample"], return_index=True, return_inverse=True)
    runs, row = np.unique(columns["run"], return_inverse=True)
    tables = []
    for name in ("correct", "grounded"):
        table = np.full((len(runs), len(samples)), UNKNOWN, np.int64)
        table[row, place] = columns[name]
        tables.append(dict(zip(runs.tolist(), table, strict=True)))
    return SeenSamples(columns["cluster"][first], *tables)
