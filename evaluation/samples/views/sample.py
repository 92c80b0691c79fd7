"""The page of one sample: its image with the gold, its question, and the results of every run on it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.board.read.pairs import can_start_pair, origin_of
from annotation.common.access import allowed
from annotation.common.bank import bank_of
from annotation.common.loading import load_benchmark
from annotation.content.records import record_of
from annotation.queue.batch import SETTLED
from annotation.queue.image_questions import questions_on_image
from annotation.queue.question_strip import QuestionStrip, strip_of
from annotation.queue.timeline import timeline
from annotation.samples.read.named import find_sample
from annotation.workflow import Right
from evaluation.common.frame import frame_of, gold_corners, marks_of, picture_problem
from evaluation.common.letters import letters_of
from evaluation.common.sides import RunRow, rows_of
from evaluation.common.trajectory.answer import options_of
from evaluation.common.trajectory.read import read_last_crops, read_on_sample
from evaluation.samples.present.facts import boxes_of, facet_links, planned_of, provenance_of, reference_of

OTHERS = 12
STATES = {"to_do": "todo", "in_review": "review"}
"""States of a sample as ``{% status_icon %}`` names them, where the names differ."""


@require_safe
def sample(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """``?crops=last`` draws every run's last crop on the image."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    row = _sample(benchmark, key)
    frame, gold, content = frame_of(slug, row), gold_corners(row), record_of(row).content
    trajectories = read_on_sample(row)
    wants_crops = request.GET.get("crops") == "last"
    crops = read_last_crops(trajectories, row) if wants_crops else {}
    runs = rows_of(slug, trajectories, content, crops, letters_of(benchmark))
    others = benchmark.samples.on_one_picture_with(row).order_by("key")
    others_n = others.count()
    may_manage = allowed(request.user, benchmark, Right.MANAGE)
    item = _item(request, benchmark, row)
    context = {
        "benchmark": benchmark, "sample": row, "state": STATES.get(row.state, row.state), "content": content,
        "gold_row": getattr(row, "gold", None), "provenance": provenance_of(row),
        "options": options_of(content),
        "boxes": boxes_of(row, sources=allowed(request.user, benchmark, Right.COMPARE_WORK)),
        "facets": facet_links(row), "reference": reference_of(content),
        "planned": planned_of(content, bank_of(benchmark)) if content.plan else [],
        "runs": runs, "wants_crops": wants_crops,
        "others": list(others[:OTHERS]), "others_n": others_n, "more_n": max(others_n - OTHERS, 0),
        "frame": frame, "problem": picture_problem(row),
        "gold": gold, "crops": [_crop(run) for run in runs if run.crop], "asked": [],
        "marks": marks_of(frame, gold, [run.mark for run in runs if run.crop]),
        "events": timeline(row, request.user) if request.user.is_authenticated else [],
        "questions": _questions(request, benchmark, row),
        "variant": getattr(row, "variant", None),
        "build_item": item,
        "pair": item.paired if item else None,
        "starts_pair": _starts_pair(row) if may_manage and item is None else None,
        "may_make_variants": allowed(request.user, benchmark, Right.IMPORT_SAMPLES),
        "may_reopen": row.state in SETTLED and may_manage,
        "may_delete": may_manage,
        "may_manage": may_manage,
    }  # fmt: skip
    return render(request, "evaluation/samples/sample.html", context)


def _sample(benchmark: Any, key: str) -> Any:
    beside = ("gold__revision__annotation__author", "variant", "variant_of", "build_item__pair_of__sample")
    return find_sample(benchmark, benchmark.samples.with_gold().select_related(*beside), key)


def _item(request: HttpRequest, benchmark: Any, row: Any) -> Any:
    """The item of the building board that became the sample, for people who see the board."""
    return getattr(row, "build_item", None) if allowed(request.user, benchmark, Right.COMPARE_WORK) else None


def _starts_pair(row: Any) -> dict[str, str] | None:
    """The known origin and description of a sample from which a matched pair can start; None if none can."""
    if not can_start_pair(row):
        return None
    return {"origin": origin_of(row), "description": str(row.extra.get("description") or "")}


def _questions(request: HttpRequest, benchmark: Any, row: Any) -> QuestionStrip | None:
    """For who may ask another."""
    if not request.user.is_authenticated or not allowed(request.user, benchmark, Right.ANNOTATE):
        return None
    row.benchmark = benchmark
    return strip_of(request.user, row, questions_on_image(request.user, row))


def _crop(run: RunRow) -> dict[str, Any]:
    return {"box": run.crop, "turn": run.letter}
