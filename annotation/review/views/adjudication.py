"""The page on which several annotations of a sample become one gold, and what its script sends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.requests import answers_json, body_of, key_of, text_of, texts_of
from annotation.common.sample import load_sample, next_url
from annotation.common.tabs import benchmark_context
from annotation.queue.rounds import several_submitted
from annotation.review.present.adjudication import WAYS, adjudication_json
from annotation.review.write.adjudication import Verdict, adjudicate
from annotation.review.write.decisions import under_review
from annotation.workflow import Right
from webapp.common.errors import InvalidInput, go_on_at
from webapp.common.http import Request


@require_safe
def adjudication(request: Request, slug: str, key: str) -> HttpResponse:
    """Template annotation/review/adjudication.html; context: sample, queue_url, review (for json_script, see
    ``adjudication_json``), ways (name -> words), and the benchmark's head. A sample with a single annotation leads to
    its review; an own sample gets 403, nothing to decide 409."""
    person, sample = load_sample(request, slug, key, Right.REVIEW)
    go_on_at(request, reverse("annotation:review", args=[slug]), gettext("Samples to review"))
    under_review(person, sample)
    if not several_submitted(sample):
        return redirect("annotation:review-sample", slug, key)
    context = benchmark_context(request, sample.benchmark, "review") | {
        "sample": sample,
        "queue_url": reverse("annotation:review", args=[slug]),
        "review": adjudication_json(person, sample),
        "ways": {how.value: str(words) for how, words in WAYS.items()},
    }
    return render(request, "annotation/review/adjudication.html", context)


@require_POST
@answers_json
def decide_adjudication(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """{"decision", "content"?, "letters"?, "comments"?, "reasons"?, "image"?} -> {"next": address or null}; 409
    ``image_replaced`` as for a draft."""
    person, sample = load_sample(request, slug, key, Right.REVIEW)
    data = body_of(request)
    verdict = Verdict(
        kind=text_of(data, "decision"),
        content=data.get("content"),
        letters=texts_of(data, "letters"),
        comments=_comments(data),
        reasons=texts_of(data, "reasons"),
    )
    image = text_of(data, "image", longest=64)
    following = adjudicate(actor=person, sample=sample, verdict=verdict, key=key_of(request), image=image)
    return JsonResponse({"next": next_url("annotation:review-sample", slug, following)})


def _comments(data: Mapping[str, Any]) -> dict[str, str]:
    value = data.get("comments", {})
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise InvalidInput(gettext("comments must be texts by letter."), field="comments")
    return value
