"""The pages of annotating: my queue, and the studio of one sample."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.access import known_to
from annotation.common.guidelines import to_guidelines
from annotation.common.loading import load_benchmark, rights_in
from annotation.common.requests import LONGEST_KEY
from annotation.common.sample import load_sample, person_of
from annotation.common.tabs import benchmark_context
from annotation.content.guidelines import GuidelinesUnread
from annotation.queue.assignment import next_to_annotate
from annotation.queue.editor import studio_json
from annotation.queue.handed import require_handed
from annotation.queue.image_questions import questions_on_image
from annotation.queue.pauses import pause_for
from annotation.queue.progress import my_progress, whole_progress
from annotation.queue.qualification import qualification_of
from annotation.queue.question_strip import strip_of
from annotation.queue.timeline import timeline
from annotation.studio.present.own import own_context
from annotation.studio.present.queue import queue_context
from annotation.studio.read.own import own_neighbor
from annotation.studio.write.another import ask_another
from annotation.workflow import Right
from webapp.common.errors import go_on_at
from webapp.common.http import Request


@require_safe
def annotate(request: Request, slug: str) -> HttpResponse:
    """Template annotation/studio/annotate.html; context: drafts, returned, kept (QueueRow), to_do, nothing, pause,
    next_url, test (Qualification), skipped (SkippedRow, for leads), proposals (BankTool), mine (Mine), whole (Whole),
    and the benchmark's head. For a person who gets gold checks ``to_do`` and ``whole`` are None, because a gold check
    would not change them.
    """
    benchmark = load_benchmark(request, slug, Right.ANNOTATE)
    person = person_of(request)
    context = benchmark_context(request, benchmark, "annotate")
    context |= queue_context(person, benchmark, lead=context["rights"][Right.MANAGE.value])
    context["test"] = qualification_of(person, benchmark)
    context["mine"] = my_progress(person, benchmark)
    context["whole"] = whole_progress(benchmark) if known_to(person, benchmark).states else None
    return render(request, "annotation/studio/annotate.html", context)


@require_POST
def annotate_next(request: Request, slug: str) -> HttpResponse:
    """Assign the next sample and open it; open the queue if there is none.

    POST sample: the key of the sample that the page showed as the next one."""
    benchmark = load_benchmark(request, slug, Right.ANNOTATE)
    shown = request.POST.get("sample", "")
    try:
        sample = next_to_annotate(actor=person_of(request), benchmark=benchmark, shown=shown)
    except GuidelinesUnread:
        return to_guidelines(slug, "annotate")
    if sample is None:
        return _see("annotation:annotate", slug)
    return _see("annotation:annotate-sample", slug, sample.key)


@require_safe
def annotate_sample(request: Request, slug: str, key: str) -> HttpResponse:
    """Template annotation/studio/sample.html; context: sample, studio (for json_script, see ``studio_json``), events
    (Event, what happened to my annotation), questions (QuestionStrip), pause (why nothing new is assigned to me, or
    None), and the benchmark's head."""
    person, sample = load_sample(request, slug, key, Right.ANNOTATE)
    go_on_at(request, reverse("annotation:annotate", args=[slug]), gettext("Samples to annotate"))
    require_handed(person, sample)
    context = benchmark_context(request, sample.benchmark, "annotate")
    rights = rights_in(request, sample.benchmark)
    asked = questions_on_image(person, sample)
    context |= {"sample": sample, "studio": studio_json(person, sample, rights, asked.beside(sample))}
    context["questions"] = strip_of(person, sample, asked)
    context |= {"events": timeline(sample, person, own=True), "pause": pause_for(person, sample.benchmark)}
    return render(request, "annotation/studio/sample.html", context)


@require_POST
def ask_another_question(request: Request, slug: str, key: str) -> HttpResponse:
    """Ask another question about the image of this sample, and go to its studio. POST copy: "yes" begins with the boxes
    and facets of this sample; key: of the request."""
    person, sample = load_sample(request, slug, key, Right.ANNOTATE)
    go_on_at(request, reverse("annotation:annotate", args=[slug]), gettext("Samples to annotate"))
    copy, once = request.POST.get("copy") == "yes", request.POST.get("key", "")[:LONGEST_KEY]
    try:
        made = ask_another(actor=person, sample=sample, copy=copy, key=once)
    except GuidelinesUnread:
        return to_guidelines(slug, "annotate")
    return _see("annotation:annotate-sample", slug, made.key)


@require_safe
def my_work(request: Request, slug: str) -> HttpResponse:
    """Template annotation/studio/own.html; context: see ``own_context``, task, the benchmark's head. Address: ?state=
    keeps one state, ?page= is the page."""
    benchmark = load_benchmark(request, slug, Right.ANNOTATE)
    context = benchmark_context(request, benchmark, "annotate") | {"task": benchmark.task}
    context |= own_context(person_of(request), benchmark, request.GET.get("state", ""), request.GET.get("page", ""))
    return render(request, "annotation/studio/own.html", context)


@require_safe
def my_neighbor(request: Request, slug: str, key: str, *, older: bool) -> HttpResponse:
    """Go on to the own sample that was begun before this one (``older``) or after it; at the end to the list."""
    person, sample = load_sample(request, slug, key, Right.ANNOTATE)
    found = own_neighbor(person, sample, older=older)
    return redirect("annotation:annotate-sample", slug, found.key) if found else redirect("annotation:my-work", slug)


def _see(route: str, *args: str) -> HttpResponse:
    response = redirect(route, *args)
    response.status_code = 303
    return response
