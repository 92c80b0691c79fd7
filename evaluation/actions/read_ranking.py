"""How the ranking of the runs of a benchmark moves with the threshold of grounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.models import Benchmark
from evaluation.metrics.thresholds import STEPS, ranks_by_threshold
from evaluation.models import Scoring

MOST_RUNS = 60


@dataclass(frozen=True, slots=True)
class RankedRun:
    """``ranks``: by the share of G+A+ at each threshold 0, 0.01 .. 1; 0 without a population."""

    run: int
    model: str
    setting: str
    ranks: Sequence[int]

    @property
    def name(self) -> str:
        return f"{self.model}, {self.setting}" if self.setting else self.model


def read_ranking(benchmark: Benchmark) -> list[RankedRun]:
    """All ranked runs by name; empty with fewer than two of them, or more than can be told apart. One query."""
    found = Scoring.objects.ranked([benchmark]).order_by("run__model__name", "run__setting", "run")
    named = found.values_list("run", "run__model__name", "run__setting", "extras__thresholds")
    rows = [row for row in named if row[3] and len(row[3]) == STEPS + 1 and sum(row[3][0])]
    if not 2 <= len(rows) <= MOST_RUNS:
        return []
    ranks = ranks_by_threshold(np.array([row[3] for row in rows], np.int64)).tolist()
    return [RankedRun(*row[:3], places) for row, places in zip(rows, ranks, strict=True)]
