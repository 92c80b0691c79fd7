"""The ranking of runs by threshold: one line per run, this one in ink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from evaluation.metrics.thresholds import STEPS
from evaluation.models import Run
from evaluation.runs.read.ranking import read_ranking
from webapp.common.drawing import format_number

LEFT, RIGHT, TOP, BOTTOM = 28.0, 424.0, 10.0, 112.0
SHOWN = tuple(range(10, 100, 10))
"""The thresholds of the table, in hundredths."""


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
    """All ranked runs of the benchmark by their share of G+A+; None where this one is not among them. One query."""
    ranked = read_ranking(run.benchmark)
    own = next((one.ranks for one in ranked if one.run == run.pk), None)
    if own is None:
        return None
    lines = [
        RankLine(
            one.name,
            reverse("evaluation:run", args=[run.benchmark.slug, one.run]),
            _path(one.ranks, len(ranked)),
            [one.ranks[at] for at in SHOWN],
            one.run == run.pk,
        )
        for one in ranked
    ]
    lines.sort(key=lambda line: (line.this, line.ranks[len(SHOWN) // 2]))
    of = len(ranked)
    ticks = [(rank, format_number(_down(rank, of))) for rank in sorted({1, (of + 1) // 2, of})]
    return Ranking(lines, own, of, min(own), max(own), [f"{at / 100:.1f}" for at in SHOWN], ticks)


def _path(places: Sequence[int], of: int) -> str:
    """A line that is drawn where the rank changes, and on to the end."""
    path: list[str] = []
    last = 0
    for step, rank in enumerate(places):
        x = format_number(LEFT + (RIGHT - LEFT) * step / STEPS)
        if rank != last:
            path.append(f"{'H' + x + 'V' if path else 'M' + x + ' '}{format_number(_down(rank, of))}")
            last = rank
    return "".join([*path, f"H{format_number(RIGHT)}"])


def _down(rank: int, of: int) -> float:
    return TOP + (BOTTOM - TOP) * (rank - 1) / max(of - 1, 1)
