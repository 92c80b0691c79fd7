"""One sample across all runs: a contact sheet, and all their crops on one image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark
from annotation.content.records import record_of
from annotation.samples.read.named import find_sample
from annotation.workflow import Right
from evaluation.common.frame import frame_of, gold_corners, marks_of, picture_problem
from evaluation.common.letters import letters_among
from evaluation.common.sides import Side, sides_of
from evaluation.common.trajectory.answer import gold_words
from evaluation.models import Run


@require_safe
def sample_models(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Template evaluation/samples/models.html. ``?crops=all`` draws every crop of a run, not only its last one."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    sample = find_sample(benchmark, benchmark.samples.with_gold(), key)
    content = record_of(sample).content
    runs = list(Run.objects.of(benchmark).order_by("model__name", "setting", "pk"))
    sides = sides_of(slug, runs, sample, content, letters_among(runs))
    everything = request.GET.get("crops") == "all"
    frame, gold = frame_of(slug, sample), gold_corners(sample)
    turns = _turns(sides, everything)
    marks = marks_of(frame, gold, turns)
    context = {
        "benchmark": benchmark, "sample": sample, "content": content, "frame": frame,
        "problem": picture_problem(sample), "gold": gold, "gold_words": gold_words(content.answers, content.options),
        "sides": [(side, _last(turns, side)) for side in sides], "everything": everything,
        "marks": marks, "asked": [],
        "crops": [{"box": turn["executed"], "turn": turn["label"]} for turn in turns],
        "tried": sum(side.row is not None for side in sides),
    }  # fmt: skip
    return render(request, "evaluation/samples/models.html", context)


def _turns(sides: Sequence[Side], everything: bool) -> list[dict[str, Any]]:
    """The crops of all runs as marks of one image, numbered throughout; each carries the letter of its run."""
    found: list[dict[str, Any]] = []
    for side in sides:
        for crop in side.crops if everything else side.crops[-1:]:
            label = f"{side.letter}{crop['turn']}" if everything else side.letter
            href = f"{side.row.href}#turn={crop['turn']}" if side.row else ""
            found.append({
                "turn": len(found) + 1, "label": label, "tool": str(side.run), "executed": crop["box"],
                "requested": None, "of": side.letter, "href": href,
            })  # fmt: skip
    return found


def _last(turns: Sequence[dict[str, Any]], side: Side) -> int | None:
    """The number of the last mark of a run."""
    return next((turn["turn"] for turn in reversed(turns) if turn["of"] == side.letter), None)
