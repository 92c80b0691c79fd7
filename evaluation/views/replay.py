"""The page of a trajectory run again: each call's picture and what agrees with the record."""

from __future__ import annotations

import base64
from collections import Counter
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.imaging.encoding import encode, fitted
from annotation.views.loading import load_benchmark
from annotation.workflow import Right
from evaluation.actions.read_trajectory import load_trajectory
from evaluation.actions.replay_trajectory import MOST_STEPS, replay_trajectory
from evaluation.replay.run import Outcome, Replayed

SIDE = 240
WORDS = {
    Outcome.SAME: "as recorded",
    Outcome.DIFFERS: "differs",
    Outcome.RAN: "runs; nothing recorded to compare",
    Outcome.FAILED: "failed then, and fails here",
    Outcome.UNLIKE: "unlike the record",
    Outcome.LOST: "cannot be run again",
}


@dataclass(frozen=True)
class ReplayRow:
    """One call: what came of it in words, its picture as an address, and the place it shows."""

    step: Replayed
    words: str
    picture: str

    @property
    def seen(self) -> str:
        return ", ".join(f"{value:.0f}" for value in self.step.seen.as_list()) if self.step.seen else ""


@require_safe
def replayed(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Template evaluation/replay.html; context: trajectory, sample, rows (ReplayRow), and how many: same,
    differ, lost, total, most."""
    row = load_trajectory(load_benchmark(request, slug, Right.SEE_GOLD), pk)
    row.sample.benchmark = row.run.benchmark
    rows = [ReplayRow(step, WORDS[step.outcome], _address(step)) for step in replay_trajectory(row)]
    came = Counter(one.step.outcome for one in rows)
    context = {
        "benchmark": row.run.benchmark, "trajectory": row, "sample": row.sample, "run": row.run, "rows": rows,
        "same": came[Outcome.SAME], "differ": came[Outcome.DIFFERS] + came[Outcome.UNLIKE],
        "lost": came[Outcome.LOST], "total": row.steps.count(), "most": MOST_STEPS,
    }  # fmt: skip
    return render(request, "evaluation/replay.html", context)


def _address(step: Replayed) -> str:
    if step.image is None:
        return ""
    return "data:image/webp;base64," + base64.b64encode(encode(fitted(step.image, SIDE), ".webp")).decode()
