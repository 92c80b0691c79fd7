"""The page of one trajectory, and the whole of a text that the page cuts short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.common.access import known_to, roles_of
from annotation.common.loading import load_benchmark, rights_in
from annotation.content.image_history import size_of
from annotation.workflow import Right
from evaluation.common.frame import Frame, frame_of, gold_corners, marks_of, picture_problem
from evaluation.common.terms import opened_from
from evaluation.common.trajectory.answer import answer_of
from evaluation.common.trajectory.notes import ShownNote, note_marks, notes_on
from evaluation.common.trajectory.read import kept_replay, load_trajectory, read_trajectory, read_turns
from evaluation.common.trajectory.turns import TEXT_CAP, Turn, turns_of
from evaluation.detections import Detections, detections_in
from evaluation.scoring.load.images import HERE, Recorded, on_present
from evaluation.store.scores import put_scores
from evaluation.trajectory.present.chart import coverage_chart
from evaluation.trajectory.present.place import list_terms, place_of
from evaluation.trajectory.present.tabs import tab_context
from evaluation.trajectory.present.verdicts import overruled_words
from evaluation.trajectory.read import attempt_of, read_verdicts
from webapp.common.htmx import render_page
from webapp.common.http import Request

TAG = 24
"""Characters of the tag at a box of a detector."""
TURNS = 50
"""Turns in one page; a longer trajectory is gone through page by page."""


@require_safe
def trajectory(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The evidence frame, the turns and the transcript of one trajectory."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    row = load_trajectory(benchmark, pk)
    put_scores([row], [row.run])
    detail = read_trajectory(row)
    frame = frame_of(slug, row.sample)
    rights = rights_in(request, benchmark)
    may = known_to(request.user, benchmark)
    manages = rights[Right.MANAGE.value]
    notes = notes_on(row, detail.earlier, frame, request.user, manages) if may.marks else None
    window = _Window(_number(request.GET.get("from", "")), row.steps.count())
    steps = read_turns(row, first=window.first, count=TURNS, cap=TEXT_CAP)
    turns = turns_of(steps, detail, frame, cap=TEXT_CAP)
    terms = list_terms(request, row)
    answer, detections = answer_of(row, detail), present_detections(row, detail.recorded)
    verdicts = read_verdicts(row, detail, request.user)
    score = row.score
    context = {
        "benchmark": row.run.benchmark, "trajectory": row, "sample": row.sample, "run": row.run, "score": score,
        "quadrant": score.quadrant if score else "",
        "stale": score is not None and not detail.agrees_with(score), "replay": kept_replay(row),
        "detail": detail, "answer": answer, "turns": turns, "window": window, "chart": coverage_chart(detail),
        "best": _best(score), "place": place_of(slug, row, terms, request.user),
        "attempt": attempt_of(row) if rights[Right.IMPORT_RUNS.value] else None,
        "asks_again": rights[Right.IMPORT_RUNS.value],
        "question": detail.record.content.question,
        "member": bool(roles_of(request.user, benchmark)), "list_query": urlencode(opened_from(request)),
        "detections": detections, "recorded": detail.recorded,
        **frame_context(frame, row.sample, turns, notes or (), detections),
        **tab_context(request, row, detail, answer, notes, verdicts),
        "overruled": overruled_words(answer, verdicts.told),
    }  # fmt: skip
    return render(request, "evaluation/trajectory/trajectory.html", context)


@require_safe
def text(request: Request, slug: str, pk: int, part: str) -> HttpResponse:
    """One turn ("3" is the third) or the answer ("answer") with all of its text."""
    row = load_trajectory(load_benchmark(request, slug, Right.SEE_GOLD), pk)
    detail = read_trajectory(row)
    context: dict[str, Any] = {"benchmark": row.run.benchmark, "trajectory": row, "sample": row.sample, "part": part}
    if part == "answer":
        context |= {"answer": answer_of(row, detail, cap=None)}
        return render_page(request, "evaluation/trajectory/text.html", "evaluation/trajectory/_answer.html", context)
    steps = read_turns(row, first=_number(part) - 1, count=1, cap=None)
    if _number(part) < 1 or not steps:
        raise Http404(gettext("This trajectory has no such turn."))
    turns = turns_of(steps, detail, frame_of(slug, row.sample), cap=None)
    context |= {"turn": turns[0]}
    return render_page(request, "evaluation/trajectory/text.html", "evaluation/trajectory/_turn.html", context)


def present_detections(row: Any, recorded: Recorded) -> Detections | None:
    """What a detector found, with boxes in pixels of the image that the sample has; without those that have no place
    on it."""
    detections, present = detections_in(row.extra), size_of(row.sample)
    if detections is None or recorded == HERE:
        return detections
    moved = [replace(one, box=one.box and on_present(one.box, recorded, present)) for one in detections.found]
    return replace(detections, found=tuple(moved))


class _Window:
    """The turns of one page, from position ``first`` on, out of ``total``."""

    def __init__(self, wanted: int, total: int) -> None:
        self.total = total
        self.first = (min(wanted, total) - 1) // TURNS * TURNS if wanted > 1 and total else 0
        self.start, self.end = self.first + 1, min(self.first + TURNS, total)
        self.before = max(self.start - TURNS, 1) if self.first else None
        self.after = self.end + 1 if self.end < total else None


def frame_context(
    frame: Frame | None,
    sample: Any,
    turns: list[Turn],
    notes: Sequence[ShownNote] = (),
    detections: Detections | None = None,
) -> dict[str, Any]:
    """Return the context of ``_sample_frame.html``."""
    gold = gold_corners(sample)
    shown = [(turn.number, turn.measures) for turn in turns if turn.measures is not None]
    crops = [{"box": measures.executed, "turn": number} for number, measures in shown if measures.executed]
    found = [{"box": [*one.box], "label": one.tool[:TAG]} for one in detections.found if one.box] if detections else []
    asked = [m.requested for _, m in shown if m.requested is not None and m.requested != m.executed]
    return {
        "frame": frame, "problem": picture_problem(sample), "gold": gold, "crops": crops, "asked": asked,
        "marks": marks_of(frame, gold, [turn.mark for turn in turns]) | {"notes": note_marks(notes), "found": found},
        "found": found,
    }  # fmt: skip


def _best(score: Any) -> int | None:
    """The turn whose crop gave the score."""
    return None if score is None or score.crop_index is None else score.crop_index + 1


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 0
