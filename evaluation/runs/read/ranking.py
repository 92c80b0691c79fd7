"""The ranking of the runs of a benchmark by the threshold of grounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.models import Benchmark
from evaluation.metrics.thresholds import STEPS, ranks_by_threshold
from evaluation.models import Run, Scoring
from evaluation.store.snapshot import Snapshot
from evaluation.store.tables import quadrants_of_runs

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
    """All ranked runs with a population by name; empty with fewer than two, or with more than can be distinguished."""
    ranked = Scoring.objects.ranked([benchmark]).with_population()
    runs = Run.objects.of(benchmark).filter(scoring__in=ranked).order_by("model__name", "setting", "pk")
    if not 2 <= len(runs) <= MOST_RUNS:
        return []
    counts = quadrants_of_runs(Snapshot(benchmark, runs))
    rows = [run for run in runs if run.pk in counts]
    ranks = ranks_by_threshold(np.array([counts[run.pk] for run in rows], np.int64).reshape(-1, STEPS + 1, 4)).tolist()
    return [RankedRun(run.pk, run.model.name, run.setting, places) for run, places in zip(rows, ranks, strict=True)]
