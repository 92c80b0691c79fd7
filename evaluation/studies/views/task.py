"""One sample of a human study, blind: assigned, answered, skipped."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.requests import answers_json
from annotation.common.sample import picture_json
from annotation.evidence import Condition
from annotation.imaging.problems import PictureProblem
from annotation.workflow import Right
from evaluation.common.evidence import condition_image
from evaluation.models import Experiment, HumanAnswer
from evaluation.runner.arms.catalogue import CannotApply
from evaluation.studies.read.conditions import SEEN_WORDS, condition_for, gold_of
from evaluation.studies.read.task import answer_at, asked_of, mine_of
from evaluation.studies.views.studies import load_study
from evaluation.studies.write.answers import LEAST_HELD, MOST_ZOOMS, answer, next_to_answer, renew, skip
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import InvalidInput, go_on_at

FIELDS = ("answer", "recognition", "plan", "familiarity", "seconds", "zooms")


@login_required
@require_POST
def hand_out(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Assign the next sample and redirect to it; to the study if nothing is left."""
    return _go_on(request, _load(request, slug, pk))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def task(request: SignedInRequest, slug: str, pk: int, item: str) -> HttpResponse:
    """Template evaluation/studies/task.html; context: study, item, asked (Asked), image (of ``picture_json``), part
    (the address of the image of a condition) and seen (what is shown), mine,
    said (posted values), problem (their error, and its field). Posted: ``FIELDS``, ``unsure`` and ``act``: answer,
    cannot or skip. Then redirects to the next one.
    """
    found = _load(request, slug, pk)
    go_on_at(request, reverse("evaluation:study", args=[slug, pk]), gettext("Continue the study"))
    assigned = answer_at(request.user, found, item)
    problem: dict[str, str] = {}
    if request.method == "POST":
        try:
            if request.POST.get("act") == "skip":
                skip(actor=request.user, item=assigned)
            else:
                answer(actor=request.user, item=assigned, said=_said(request))
            return _go_on(request, found)
        except InvalidInput as error:
            problem = {"field": error.field or "", "message": error.message}
    if assigned.done_at is not None or assigned.place is None:
        return redirect("evaluation:study", slug, pk)
    return _page(request, found, assigned, problem)


@login_required
@require_POST
@answers_json
def stay(request: SignedInRequest, slug: str, pk: int, item: str) -> JsonResponse:
    """Renew the reservation while the person works on the sample. 409 ``lease_lost`` if it has expired."""
    renew(actor=request.user, item=answer_at(request.user, _load(request, slug, pk), item))
    return JsonResponse({})


def _page(request: SignedInRequest, found: Experiment, item: HumanAnswer, problem: dict[str, str]) -> HttpResponse:
    condition = condition_for(item)
    whole = condition in (None, Condition.IMAGE)
    image, asked = picture_json(item.sample) if whole else None, asked_of(item.sample)
    context: dict[str, Any] = {
        "benchmark": found.benchmark,
        "study": found,
        "item": item,
        "asked": replace(asked, tools=False) if condition else asked,
        "seen": SEEN_WORDS[condition] if condition else "",
        "part": condition_address(found, item) if condition not in (None, Condition.IMAGE, Condition.QUESTION) else "",
        "image": image,
        # For the script: the image, but no other data of the sample.
        "task": {
            "key": item.key,
            "image": image,
            "held": LEAST_HELD,
            "most": MOST_ZOOMS,
            "stay": reverse("evaluation:study-stay", args=[found.benchmark.slug, found.pk, item.key]),
        },
        "mine": mine_of(request.user, found),
        "said": {name: request.POST.get(name, "") for name in (*FIELDS, "unsure")},
        "problem": problem,
    }
    return render(request, "evaluation/studies/task.html", context, status=400 if problem else 200)


@login_required
@require_safe
def part(request: SignedInRequest, slug: str, pk: int, item: str) -> HttpResponse:
    """The image of the condition under which the person sees this sample, while it is assigned to them."""
    found = _load(request, slug, pk)
    assigned = answer_at(request.user, found, item)
    condition, revision = condition_for(assigned), gold_of(assigned.sample)
    if condition is None or revision is None or assigned.done_at is not None or assigned.place is None:
        raise Http404
    try:
        image = condition_image(assigned.sample, revision, condition)
    except (CannotApply, PictureProblem) as problem:
        raise Http404 from problem
    if image is None:
        raise Http404
    return HttpResponse(image.data, content_type=image.media_type, headers={"Cache-Control": "private, max-age=3600"})


def condition_address(found: Experiment, item: HumanAnswer) -> str:
    return reverse("evaluation:study-part", args=[found.benchmark.slug, found.pk, item.key])


def _said(request: SignedInRequest) -> dict[str, Any]:
    data = request.POST
    return {
        **{name: data.get(name, "") for name in FIELDS},
        "unsure": "unsure" in data,
        "cannot": data.get("act") == "cannot",
    }


def _load(request: SignedInRequest, slug: str, pk: int) -> Experiment:
    return load_study(request, load_benchmark(request, slug, Right.TAKE_STUDY), pk)


def _go_on(request: SignedInRequest, found: Experiment) -> HttpResponse:
    item = None
    if found.state == Experiment.State.RUNNING:
        item = next_to_answer(actor=request.user, study=found)
    where, key = ("evaluation:study-task", [item.key]) if item else ("evaluation:study", [])
    response = redirect(where, found.benchmark.slug, found.pk, *key)
    response.status_code = 303
    return response
