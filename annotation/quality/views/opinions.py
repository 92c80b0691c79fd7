"""Most disputed samples, and the rules for extra annotators."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.rules import rules_of
from annotation.common.words import STATE_WORDS, count_of
from annotation.models import Benchmark, QualityRules, Sample
from annotation.quality.forms import ExtraAnnotatorForm
from annotation.quality.present.sections import quality_context
from annotation.quality.read.adjudicable import adjudicable
from annotation.queue.extra_annotators import set_extra_annotators
from annotation.queue.forms import QueueForm
from annotation.queue.leases import queue_of
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest

MOST = 50


@login_required
@require_safe
def second_opinions(request: SignedInRequest, slug: str) -> HttpResponse:
    """See ``opinions_page``."""
    return opinions_page(request, load_benchmark(request, slug, Right.MANAGE))


def opinions_page(
    request: SignedInRequest, benchmark: Benchmark, *, extra: ExtraAnnotatorForm | None = None
) -> HttpResponse:
    """Template annotation/quality/opinions.html; context: disputed (Sample with ``annotators_n``, sign and label of its
    state; the most disputed first), waiting (numbers of those that the reader can adjudicate), weighed and more (Count
    of samples), queue, blind (the text of its rule), extra (form).
    """
    stored, queue = rules_of(benchmark), queue_of(benchmark)
    weighed = Sample.objects.filter(benchmark=benchmark, disagreement__isnull=False)
    shown = list(weighed.with_annotators().select_related("image").most_disagreement_first()[:MOST])
    context: dict[str, Any] = {
        **quality_context(request, benchmark, "opinions"),
        "disputed": [(sample, *STATE_WORDS[sample.state]) for sample in shown],
        "waiting": adjudicable(request.user, benchmark, [sample.pk for sample in shown]),
        "weighed": count_of(benchmark, weighed.values_list("key", flat=True)),
        "more": count_of(benchmark, weighed.filter(extra_places__gt=0).values_list("key", flat=True)),
        "queue": queue,
        "blind": QueueForm.blinds[queue.blind],
        "extra": extra or ExtraAnnotatorForm(initial=_extra(stored)),
    }
    wrong = extra is not None and extra.errors
    return render(request, "annotation/quality/opinions.html", context, status=400 if wrong else 200)


@login_required
@require_POST
def extra_annotators(request: SignedInRequest, slug: str) -> HttpResponse:
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = ExtraAnnotatorForm(request.POST)
    if not form.is_valid():
        return opinions_page(request, benchmark, extra=form)
    set_extra_annotators(actor=request.user, benchmark=benchmark, **form.values())
    messages.success(request, gettext("Saved. Applies to new submissions."))
    return redirect("annotation:second-opinions", slug)


def _extra(stored: QualityRules) -> dict[str, Any]:
    below = stored.extra_below
    return {"extra_below": None if below is None else round(100 * below, 4), "extra_most": stored.extra_most}
