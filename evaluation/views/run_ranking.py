"""How the ranking of runs moves with the threshold: one line a run, this one in ink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.urls import reverse

from evaluation.metrics.thresholds import STEPS, ranks_by_threshold
from evaluation.models import Run, Scoring
from webapp.common.drawing import written

LEFT, RIGHT, TOP, BOTTOM = 28.0, 424.0, 10.0, 112.0
SHOWN = tuple(range(10, 100, 10))
"""The thresholds of the table, in hundredths."""
MOST_RUNS = 60


@dataclass(frozen=True, slots=True)
class RankLine:
    name: str
    href: str
    path: str
    ranks: Sequence[int]
    this: bool


@dataclass(frozen=True, slots=True)
class Ranking:
    """``own``: this run's rank at each threshold, 0 without a population; ``of``: runs that are ranked."""

    lines: Sequence[RankLine]
    own: Sequence[int]
    of: int
    best: int
    worst: int
    thresholds: Sequence[str]
    ticks: Sequence[tuple[int, str]]


def ranking(run: Run) -> Ranking | None:
    """All scored runs of the benchmark by their share of G+A+; None with fewer than two to rank. One query."""
    found = Scoring.objects.filter(run__benchmark=run.benchmark).order_by("run__model__name", "run__setting", "run")
    named = found.values_list("run", "run__model__name", "run__setting", "extras__thresholds")
    rows = [row for row in named if row[3] and len(row[3]) == STEPS + 1 and sum(row[3][0])]
    if len(rows) < 2 or len(rows) > MOST_RUNS or run.pk not in {row[0] for row in rows}:
        return None
    ranks = ranks_by_threshold(np.array([row[3] for row in rows], np.int64)).tolist()
    own = next(found for row, found in zip(rows, ranks, strict=True) if row[0] == run.pk)
    lines = [
        RankLine(
            f"{model}, {setting}" if setting else model,
            reverse("evaluation:run", args=[run.benchmark.slug, pk]),
            _path(places, len(rows)),
            [places[at] for at in SHOWN],
            pk == run.pk,
        )
        for (pk, model, setting, _), places in zip(rows, ranks, strict=True)
    ]
    lines.sort(key=lambda line: (line.this, line.ranks[len(SHOWN) // 2]))
    ticks = [(rank, written(_down(rank, len(rows)))) for rank in sorted({1, (len(rows) + 1) // 2, len(rows)})]
    return Ranking(lines, own, len(rows), min(own), max(own), [f"{at / 100:.1f}" for at in SHOWN], ticks)


def _path(places: Sequence[int], of: int) -> str:
    """A line that is drawn where the rank changes, and on to the end."""
    path: list[str] = []
    last = 0
    for step, rank in enumerate(places):
        x = written(LEFT + (RIGHT - LEFT) * step / STEPS)
        if rank != last:
            path.append(f"{'H' + x + 'V' if path else 'M' + x + ' '}{written(_down(rank, of))}")
            last = rank
    return "".join([*path, f"H{written(RIGHT)}"])


def _down(rank: int, of: int) -> float:
    return TOP + (BOTTOM - TOP) * (rank - 1) / max(of - 1, 1)
