"""The trajectory of a list that is looked at: image, answer, turns, and what people put on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.common.access import roles_of
from annotation.common.loading import load_benchmark
from annotation.workflow import Right
from evaluation.common.frame import frame_of, gold_corners
from evaluation.common.links import Count
from evaluation.common.terms import UNNARROWED, terms_of
from evaluation.common.trajectory.answer import answer_of
from evaluation.common.trajectory.notes import place_of_note, region_of
from evaluation.common.trajectory.read import load_trajectory, read_trajectory, read_turns
from evaluation.common.trajectory.turns import turns_of
from evaluation.metrics.failures import LABELS as FAILURE_LABELS
from evaluation.models import Run
from evaluation.scoring.load.images import Earlier
from evaluation.store.scores import put_scores
from evaluation.store.snapshot import Snapshot
from evaluation.store.trajectory_list import TrajectoryList
from evaluation.trajectories.read.marks import read_marks
from evaluation.trajectories.read.similar import similar_trajectories
from webapp.common.http import Request

TURNS = 12
TEXT_CAP = 160


@require_safe
def preview(request: Request, slug: str, pk: int) -> HttpResponse:
    """The preview pane of a list, under the terms of the list. Without htmx: the list with this preview."""
    if request.htmx:
        return preview_piece(request, slug, pk)
    load_benchmark(request, slug, Right.SEE_GOLD)
    terms = urlencode({**terms_of(request), "at": pk})
    return redirect(f"{reverse('evaluation:trajectories', args=[slug])}?{terms}")


def preview_piece(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return render(request, "evaluation/trajectories/_preview.html", preview_context(request, slug, pk))


def preview_context(request: HttpRequest, slug: str, pk: int) -> dict[str, Any]:
    """Context of ``_trajectories_preview.html``."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    row = load_trajectory(benchmark, pk)
    put_scores([row], [row.run])
    detail = read_trajectory(row)
    frame = frame_of(slug, row.sample)
    turns = turns_of(read_turns(row, first=0, count=TURNS, cap=TEXT_CAP), detail, frame, cap=TEXT_CAP)
    shown = [(turn.number, turn.measures) for turn in turns if turn.measures is not None]
    score = row.score
    terms = terms_of(request)
    opened = urlencode(terms or UNNARROWED)
    marks = read_marks(row, request.user)
    return {
        "benchmark": benchmark, "trajectory": row, "sample": row.sample, "score": score, "frame": frame,
        "gold": gold_corners(row.sample), "turns": turns, "more_turns": max(0, row.steps.count() - TURNS),
        "crops": [{"box": m.executed, "turn": number} for number, m in shown if m.executed],
        "answer": answer_of(row, detail), "question": detail.record.content.question,
        "quadrant": score.quadrant if score else "",
        "marks": marks, "notes": [_placed(note, row.sample, detail.earlier) for note in marks.notes],
        "failures": [(name, gettext(label)) for name, label in FAILURE_LABELS.items()],
        "alike": _alike(request, benchmark, row, marks.failure, detail.settings.ioa_threshold),
        "member": bool(roles_of(request.user, benchmark)),
        "terms": urlencode(terms), "open": f"{reverse('evaluation:trajectory', args=[slug, pk])}?{opened}",
    }  # fmt: skip


def _placed(note: Any, sample: Any, earlier: Sequence[Earlier]) -> tuple[Any, str, bool]:
    """A note, its place in an address, and whether its region is on an image of other pixels."""
    box, lost = region_of(note, sample, earlier)
    return note, place_of_note(note, box), lost


def _alike(request: HttpRequest, benchmark: Any, row: Any, failure: str, threshold: float) -> Count | None:
    """Return the number of similar trajectories, including this one; None for an unscored one."""
    snapshot = Snapshot(benchmark, list(Run.objects.of(benchmark)), request.user)
    terms = similar_trajectories(row, failure, threshold, snapshot)
    if not terms:
        return None
    found = TrajectoryList(benchmark, snapshot.runs, terms, request.user, snapshot)
    return Count(found.total, f"{reverse('evaluation:trajectories', args=[benchmark.slug])}?{urlencode(terms)}")
