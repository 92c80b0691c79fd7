"""The verdicts of a judge and the labels of people: the corrected rate, and the next items to label."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotation.common.loading import load_benchmark
from annotation.prediction_powered import MORE
from annotation.quality.views.agreement import agreement_context
from annotation.workflow import Right
from evaluation.judging.forms import LabelForm
from evaluation.judging.present import cases_of
from evaluation.judging.read.labels import is_labeled, labels_of
from evaluation.judging.write.labels import draw_labels
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import Conflict, InvalidInput


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def labels(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Template evaluation/judging/labels.html; context: experiment, question, labels (None if people can't label it),
    raw (rate, n and interval of the judge), cases (counts by name), form, more. Posted: ``size`` and
    ``people``, draws a queue."""
    benchmark = load_benchmark(request, slug, Right.SCORE)
    rows = benchmark.experiments.select_related("benchmark", "source__model", "source__benchmark")
    experiment = get_object_or_404(rows, pk=pk)
    form = LabelForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = draw_labels(actor=request.user, experiment=experiment, **form.cleaned_data)
        except (Conflict, InvalidInput) as refused:
            form.add_error(refused.field if refused.field in form.fields else None, refused.message)
        else:
            return redirect("evaluation:judging-queue", slug, made.pk)
    known = labels_of(experiment, request.user) if is_labeled(experiment) else None
    context = {
        **agreement_context(request, benchmark, "judges", tab="judging"),
        "experiment": experiment,
        "question": experiment.recipe.get("question", ""),
        "labels": known,
        "raw": known.voted.raw if known else None,
        "cases": cases_of(benchmark, known) if known and not known.waiting else {},
        "form": form,
        "more": MORE,
    }
    return render(request, "evaluation/judging/labels.html", context, status=400 if form.errors else 200)
