"""One question of a judging queue, blind to the model and to the image: assigned, answered, skipped, undone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.images.serving import region_of
from annotation.schema import Box
from annotation.workflow import Right
from evaluation.common.judging.words import REASONS
from evaluation.judging.present import LONGEST_SHOWN, SIDE, shown_answer
from evaluation.judging.read.queues import Question, judgement_of, load_queue, progress_of, read_question
from evaluation.judging.write.queues import judge_item, next_to_judge, pass_by, take_back_last
from evaluation.models import JudgingItem, JudgingQueue
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import go_on_at
from webapp.common.formatting import finite

FIRST_REASON = 4
"""Reasons have the keys from here on: 1 to 3 would be taken for answers."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A crop as shown: its number, and its size in pixels of the original."""

    number: int
    width: int
    height: int


@login_required
@require_POST
def hand_out(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Assign the next question and open it; open the queue if none is left."""
    benchmark, found = _load(request, slug, pk)
    return _go_on(request, benchmark, found)


@login_required
@require_POST
def undo(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Take the last judgment back and go to its question."""
    benchmark, found = _load(request, slug, pk)
    item = take_back_last(actor=request.user, queue=found)
    return _see(benchmark, found, item)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def question(request: SignedInRequest, slug: str, pk: int, item: str) -> HttpResponse:
    """Template evaluation/judging/question.html; context: queue, question (Question), crops (Shown), said (answer that
    was given, for reliability), options, kept (Judgment or None), mine (Progress), reasons (key, words). Posted:
    ``verdict`` or ``answer`` with ``sure``, ``reason`` and ``seconds``; or ``act=skip``. Then the next one."""
    benchmark, found = _load(request, slug, pk)
    go_on_at(
        request, reverse("evaluation:judging-queue", args=[slug, pk]), gettext("Continue queue %(pk)s") % {"pk": pk}
    )
    asked = _item(found, item)
    if request.method == "POST":
        if request.POST.get("act") == "skip":
            pass_by(actor=request.user, item=asked)
        else:
            judge_item(actor=request.user, item=asked, said=_said(request))
        return _go_on(request, benchmark, found)
    shown = read_question(request.user, asked)
    content = shown.detail.record.content
    context = {
        "benchmark": benchmark,
        "queue": found,
        "question": shown,
        "asks": content.question,
        "crops": _crops(shown),
        "reliability": asked.kind == JudgingItem.Kind.RELIABILITY,
        "about_answer": asked.kind == JudgingItem.Kind.ANSWER,
        "answer": (shown.trajectory.answer or "")[:LONGEST_SHOWN],
        "accepted": content.answers,
        "said": shown_answer(shown),
        "plan": shown.trajectory.plan or [],
        "options": content.choices,
        "kept": judgement_of(request.user, asked),
        "mine": progress_of(request.user, found),
        "reasons": list(enumerate(REASONS, FIRST_REASON)),
    }
    return render(request, "evaluation/judging/question.html", context)


@login_required
@require_safe
def crop(request: SignedInRequest, slug: str, pk: int, item: str, number: int) -> HttpResponse:
    """One crop as JPEG. Its address reveals neither the image nor the place in it."""
    _, found = _load(request, slug, pk)
    shown = read_question(request.user, _item(found, item))
    if not 1 <= number <= len(shown.crops):
        raise Http404(gettext("This question has no such crop."))
    image = shown.trajectory.sample.image
    if image is None:
        raise Http404(gettext("The image of this question is no longer available."))
    data = region_of(image, Box(*shown.crops[number - 1]), SIDE)
    response = HttpResponse(data, content_type="image/jpeg")
    response["Cache-Control"] = "private, max-age=900"
    return response


def _load(request: SignedInRequest, slug: str, pk: int) -> tuple[Any, JudgingQueue]:
    benchmark = load_benchmark(request, slug, Right.JUDGE)
    return benchmark, load_queue(benchmark, pk)


def _item(found: JudgingQueue, key: str) -> JudgingItem:
    item = get_object_or_404(found.items.select_related("trajectory__run", "trajectory__sample"), key=key)
    item.queue = found
    return item


def _crops(shown: Question) -> list[Shown]:
    return [
        Shown(number, max(1, round(x2 - x1)), max(1, round(y2 - y1)))
        for number, (x1, y1, x2, y2) in enumerate(shown.crops, 1)
    ]


def _said(request: SignedInRequest) -> dict[str, Any]:
    data = request.POST
    sure, choice = data.get("sure", ""), data.get("choice")
    word = choice[1:] if choice and choice.startswith("=") else ""
    return {
        "verdict": data.get("verdict", word),
        "answer": data.get("answer", "") if choice is None else choice,
        "nothing": choice == "" or data.get("act") == "nothing",
        "reasons": data.getlist("reason"),
        "sure": int(sure) if sure in {"1", "2", "3", "4", "5"} else None,
        "seconds": finite(data.get("seconds", "")) or 0,
    }


def _go_on(request: SignedInRequest, benchmark: Any, found: JudgingQueue) -> HttpResponse:
    return _see(benchmark, found, next_to_judge(actor=request.user, queue=found))


def _see(benchmark: Any, found: JudgingQueue, item: JudgingItem | None) -> HttpResponse:
    where = "evaluation:judging-question" if item else "evaluation:judging-queue"
    response = redirect(where, benchmark.slug, found.pk, *([item.key] if item else []))
    response.status_code = 303
    return response
