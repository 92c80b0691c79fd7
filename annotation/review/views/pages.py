"""The pages of reviewing: what waits for me, and one review."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, pgettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.access import known_to
from annotation.common.guidelines import to_guidelines
from annotation.common.loading import load_benchmark, rights_in
from annotation.common.sample import load_sample, person_of
from annotation.common.tabs import benchmark_context
from annotation.content.guidelines import GuidelinesUnread
from annotation.queue.places import place_for
from annotation.queue.progress import my_progress, whole_progress
from annotation.queue.rounds import several_submitted
from annotation.review.present.reviews import review_json, reviews_context
from annotation.review.write.decisions import next_to_review, under_review
from annotation.workflow import Right
from webapp.common.errors import go_on_at
from webapp.common.http import Request


@require_safe
def review(request: Request, slug: str) -> HttpResponse:
    """Template annotation/review/review.html; context: waiting (WaitingRow), waiting_n, own_n (mine that others
    review), nothing, decided (DecidedRow), pause, next_url, mine (Mine), whole (Whole), and the benchmark's head."""
    benchmark = load_benchmark(request, slug, Right.REVIEW)
    person = person_of(request)
    context = benchmark_context(request, benchmark, "review") | reviews_context(person, benchmark)
    context["mine"] = my_progress(person, benchmark)
    context["whole"] = whole_progress(benchmark) if known_to(person, benchmark).states else None
    return render(request, "annotation/review/review.html", context)


@require_POST
def review_next(request: Request, slug: str) -> HttpResponse:
    """Assign the next sample to review and open it; open the list if none waits."""
    benchmark = load_benchmark(request, slug, Right.REVIEW)
    try:
        sample = next_to_review(actor=person_of(request), benchmark=benchmark)
    except GuidelinesUnread:
        return to_guidelines(slug, "review")
    args = [slug, sample.key] if sample else [slug]
    response = redirect("annotation:review-sample" if sample else "annotation:review", *args)
    response.status_code = 303
    return response


@require_safe
def review_sample(request: Request, slug: str, key: str) -> HttpResponse:
    """Template annotation/review/sample.html; context: sample, blind (true: the blind answer is still to give),
    place (Place, or None), kind, queue_url, review (for json_script, see ``review_json``), and the head. Own work gets
    403, nothing to review 409."""
    person, sample = load_sample(request, slug, key, Right.REVIEW)
    go_on_at(request, reverse("annotation:review", args=[slug]), gettext("Samples to review"))
    annotation, revision = under_review(person, sample)
    if several_submitted(sample):
        return redirect("annotation:adjudication", slug, key)
    rights = rights_in(request, sample.benchmark)
    shown = review_json(person, annotation, revision, rights)
    context = benchmark_context(request, sample.benchmark, "review")
    context |= {
        "sample": sample,
        "kind": pgettext("page", "Review"),
        "queue_url": reverse("annotation:review", args=[slug]),
    }
    context |= {"place": place_for(person, sample), "blind": not shown["open"], "review": shown}
    return render(request, "annotation/review/sample.html", context)
