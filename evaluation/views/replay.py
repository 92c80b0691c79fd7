"""The page of a trajectory run again: each call's picture, what agrees with the record, and which of both counts."""

from __future__ import annotations

import base64
from collections import Counter
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation.actions.access import allowed
from annotation.imaging.encoding import encode, fitted
from annotation.views.loading import load_benchmark
from annotation.workflow import Right
from evaluation.actions.keep_replay import drop_replay, keep_replay
from evaluation.actions.read_trajectory import kept_replay, load_trajectory
from evaluation.actions.replay_trajectory import MOST_STEPS, replay_trajectory
from evaluation.replay.run import Outcome, Replayed
from webapp.accounts.http import SignedInRequest

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

    @property
    def holds(self) -> bool:
        """Whether what was recorded holds for this call, even if the replay is kept."""
        return self.step.ok is None


@require_safe
def replayed(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Template evaluation/replay.html; context: trajectory, sample, rows (ReplayRow), and how many: same, differ,
    lost, ran, total, most; kept (the replay that scores use), may_keep."""
    row = load_trajectory(load_benchmark(request, slug, Right.SEE_GOLD), pk)
    row.sample.benchmark = row.run.benchmark
    rows = [ReplayRow(step, WORDS[step.outcome], _address(step)) for step in replay_trajectory(row)]
    came = Counter(one.step.outcome for one in rows)
    context = {
        "benchmark": row.run.benchmark, "trajectory": row, "sample": row.sample, "run": row.run, "rows": rows,
        "same": came[Outcome.SAME], "differ": came[Outcome.DIFFERS] + came[Outcome.UNLIKE],
        "lost": came[Outcome.LOST], "total": row.steps.count(), "most": MOST_STEPS,
        "ran": sum(not one.holds for one in rows), "kept": kept_replay(row),
        "may_keep": allowed(request.user, row.run.benchmark, Right.SCORE),
    }  # fmt: skip
    return render(request, "evaluation/replay.html", context)


@login_required
@require_POST
def keep(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """From now on scores use what the replay gives."""
    row = load_trajectory(load_benchmark(request, slug, Right.SCORE), pk)
    keep_replay(actor=request.user, trajectory=row)
    messages.success(request, "Scores use this replay from now on. Score the run again to see it in lists and tables.")
    return redirect("evaluation:replay", slug, pk)


@login_required
@require_POST
def drop(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Scores use again what was recorded."""
    row = load_trajectory(load_benchmark(request, slug, Right.SCORE), pk)
    drop_replay(actor=request.user, trajectory=row)
    messages.success(request, "Scores use again what was recorded. Score the run again to see it in lists and tables.")
    return redirect("evaluation:replay", slug, pk)


def _address(step: Replayed) -> str:
    if step.image is None:
        return ""
    return "data:image/webp;base64," + base64.b64encode(encode(fitted(step.image, SIDE), ".webp")).decode()
