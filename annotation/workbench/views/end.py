"""Answering the question of a sample from the last image of its toolchain alone."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.chain_answers import compare
from annotation.common.chain_marks import verifies
from annotation.common.sample import load_sample
from annotation.common.tabs import benchmark_context
from annotation.images.chain_runs import RunDeferred, run_whole
from annotation.schema import LONGEST_NOTE, AnswerType
from annotation.workbench.present import last_image
from annotation.workbench.read import end_to_answer
from annotation.workbench.write import answer_end
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import Conflict

SIDE = 1280


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def end(request: SignedInRequest, slug: str, key: str) -> HttpResponse:
    """Template annotation/workbench/end.html; context: sample, question, options (letter and text; empty for an open
    question), image (address of the last image), problem (why there is none), and the benchmark's head. Posted: answer,
    image (the SHA-256 of the original). Nothing of the answer is shown, before or after."""
    person, sample = load_sample(request, slug, key, Right.REVIEW)
    content = end_to_answer(person, sample)
    if request.method == "POST":
        given, image = request.POST.get("answer", "")[:LONGEST_NOTE], request.POST.get("image", "")[:64]
        mark = answer_end(actor=person, sample=sample, answer=given, image=image)
        if verifies(mark, content):
            messages.success(request, gettext("Your answer is the gold answer: the end of the toolchain is verified."))
        elif mark.matches:
            words = gettext(
                "Your answer is the gold answer, but the last step measures %(measured)s. The end is not "
                "verified until the toolchain or the answer changes."
            )
            measured = compare(mark.measurements, content).observed
            messages.warning(request, words % {"measured": measured})
        else:
            messages.warning(request, gettext("Your answer is not the gold answer: the end is not verified."))
        return redirect("annotation:review", slug)
    context = benchmark_context(request, sample.benchmark, "review")
    is_choice = content.answer_type is AnswerType.MULTIPLE_CHOICE
    context |= {
        "sample": sample, "question": content.question, "image": "", "problem": "",
        "options": list(content.options.items()) if is_choice else [],
    }  # fmt: skip
    try:
        result = run_whole(sample, content.reference_toolchain)
    except RunDeferred:
        context["problem"] = gettext("The server is running other toolchains. Reload the page in a moment.")
    except Conflict as problem:
        context["problem"] = problem.message
    else:
        if result.error is not None:
            context["problem"] = gettext("The toolchain stops with an error. %(message)s") % {
                "message": result.error.message
            }
        else:
            context["image"] = last_image(result.steps[-1], SIDE)
            context["problem"] = "" if context["image"] else gettext("The last step returns no image.")
    return render(request, "annotation/workbench/end.html", context)
