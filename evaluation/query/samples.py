"""What is said of the samples of a benchmark, said of the trajectories on each, and counted over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.columns import Bools, Ints
from evaluation.query.syntax import DEFINED, UNDEFINED


class SampleRows:
    """n rows of a table of trajectories, those of a sample together. ``rank``: (n,) place of the sample of each among
    the ``samples`` of the benchmark, rising; some samples may have no row."""

    def __init__(self, rank: Ints, samples: int) -> None:
        self.rank, self.samples = rank, samples
        self._begins = np.flatnonzero(np.diff(rank, prepend=-1))
        self._there = rank[self._begins]
        self._sizes = np.diff(self._begins, append=len(rank))
        # Sums in the narrowest numbers that hold them: several times as quick.
        self._kind = np.min_scalar_type(int(self._sizes.max(initial=0)))

    def spread(self, of_samples: NDArray[Any]) -> NDArray[Any]:
        """(n,) of each row, what (samples,) say of its sample. Quicker than to look each row up."""
        return np.repeat(of_samples[self._there], self._sizes)

    def counted(self, rows: Bools) -> Ints:
        """(samples,) how many of these (n,) rows each sample has."""
        counts = np.zeros(self.samples, np.int64)
        if len(self._begins):
            counts[self._there] = np.add.reduceat(rows.view(np.uint8), self._begins, dtype=self._kind)
        return counts

    def on(self, rows: Bools) -> Bools:
        """(samples,) whether any of these (n,) rows is on it."""
        return self.counted(rows) > 0


@dataclass(frozen=True, slots=True)
class Values:
    """The values of one facet over the samples: value ``code[i]`` of ``names`` on the sample at ``rank[i]``."""

    names: tuple[str, ...]
    code: Ints
    rank: Ints

    def counted(self, per_sample: Ints) -> Ints:
        """How many trajectories have each value, when each sample has so many. A sample may have several values."""
        return np.bincount(self.code, weights=per_sample[self.rank], minlength=len(self.names)).astype(np.int64)

    def samples_with(self, value: str, samples: int) -> Bools:
        """(samples,) whether a sample has this value; ``any``: a value, ``none``: none."""
        there = np.zeros(samples, np.bool_)
        if value in (DEFINED, UNDEFINED):
            there[self.rank] = True
            return there if value == DEFINED else ~there
        there[self.rank[self.code == (self.names.index(value) if value in self.names else -1)]] = True
        return there
