"""The faithfulness lab of a run: its arms, one sample under all of them, and exports."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark, rights_in
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.common.staleness import staleness
from evaluation.exporters.tables import writes_parquet
from evaluation.lab.present.cases import recorded_cases
from evaluation.lab.present.export import FORMATS, lab_file
from evaluation.lab.present.page import ESTIMAND_HELP, ESTIMAND_WORDS, page_of, quadrant_heads
from evaluation.lab.present.strip import strip_of
from evaluation.lab.read import design_of, estimands_of, find, load_lab, rebuilt_of, skipped_attempts, skipped_of
from evaluation.models import Run
from evaluation.runner.arms.catalogue import Estimand
from evaluation.scoring.settings import settings_of
from evaluation.store.snapshot import Snapshot


@require_safe
def lab(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    """Template evaluation/lab/lab.html. ``?estimand=`` prefix or turn; ``?format=`` a file of these numbers. Context:
    run, estimands, estimand, help, page (None without a sham arm), arms_there, rebuilt, heads, formats, keys."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    run = get_object_or_404(Run.objects.of(benchmark).select_related("model", "benchmark"), pk=pk)
    there = estimands_of(run)
    estimand = _estimand(request, there)
    snapshot = Snapshot(benchmark, [run], request.user)
    found = find(load_lab(snapshot, estimand, settings_of(benchmark)), design_of(run, estimand)) if there else None
    if (format := request.GET.get("format", "")) and found is not None:
        if format not in FORMATS:
            raise Http404(gettext("Formats: %(formats)s.") % {"formats": ", ".join(FORMATS)})
        return lab_file(run, found, format)
    context = {
        **benchmark_context(request, benchmark, "runs"),
        "run": run,
        "estimands": [(one.value, ESTIMAND_WORDS[one]) for one in there],
        "estimand": estimand.value,
        "help": ESTIMAND_HELP[estimand],
        "page": page_of(run, found, skipped_of(run, estimand)) if found is not None else None,
        "arms_there": bool(there),
        "rebuilt": recorded_cases(run, found, rebuilt_of(run, estimand)) if found is not None else None,
        "heads": quadrant_heads(),
        "formats": [name for name in FORMATS if name != "parquet" or writes_parquet()],
        "keys": found.data.keys[:MOST_CASES] if found is not None else [],
        **staleness(benchmark, [run], snapshot.number),
    }
    return render(request, "evaluation/lab/lab.html", context)


MOST_CASES = 200
"""The maximum number of samples that the page links to."""
ON_A_PAGE = 50


@require_safe
def strip(request: HttpRequest, slug: str, pk: int, key: str) -> HttpResponse:
    """Template evaluation/lab/strip.html: one sample, an arm in each column. Context: run, sample, estimand, columns,
    before and after (ids of other samples)."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    run = get_object_or_404(Run.objects.of(benchmark).select_related("model", "benchmark"), pk=pk)
    sample = get_object_or_404(benchmark.samples.select_related("image"), key=key)
    estimand = _estimand(request, estimands_of(run))
    data = load_lab(Snapshot(benchmark, [run], request.user), estimand, settings_of(benchmark))
    if data is None or sample.pk not in data.samples:
        raise Http404(gettext("No arm of this run has this sample."))
    at = list(data.samples).index(sample.pk)
    context: dict[str, Any] = {
        **benchmark_context(request, benchmark, "runs"),
        "run": run,
        "sample": sample,
        "estimand": estimand.value,
        "columns": strip_of(run, data, at, sees_images=rights_in(request, benchmark)["import_runs"]),
        "before": data.keys[at - 1] if at else "",
        "after": data.keys[at + 1] if at + 1 < len(data.keys) else "",
    }
    return render(request, "evaluation/lab/strip.html", context)


@require_safe
def skipped(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Template evaluation/lab/skipped.html: the attempts that had nothing to change, of all experiments on a run.
    ``?arm=`` and ``?reason=`` narrow it. Context: run, page (of attempts), arm, reason."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    run = get_object_or_404(Run.objects.of(benchmark).select_related("model", "benchmark"), pk=pk)
    arm, reason = request.GET.get("arm", ""), request.GET.get("reason", "")
    rows = skipped_attempts(run).select_related("sample", "experiment").order_by("arm", "sample__key", "rollout", "pk")
    rows = rows.filter(arm=arm) if arm else rows
    rows = rows.filter(error=reason) if reason else rows
    context = {
        **benchmark_context(request, benchmark, "runs"),
        "run": run,
        "arm": arm,
        "reason": reason,
        "page": Paginator(rows, ON_A_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "evaluation/lab/skipped.html", context)


def _estimand(request: HttpRequest, there: list[Estimand]) -> Estimand:
    wanted = request.GET.get("estimand", "")
    if wanted in there:
        return Estimand(wanted)
    return there[0] if there else Estimand.PREFIX
