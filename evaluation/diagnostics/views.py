"""Diagnostics of plans and tools: why plans fail, what calling did, and what goes with what over runs."""

from __future__ import annotations

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.common.downloads import FORMATS
from evaluation.common.figures import FIGURES
from evaluation.common.staleness import staleness
from evaluation.diagnostics.present.export import DRAWINGS, diagnostics_file, figure_file
from evaluation.diagnostics.present.page import shown
from evaluation.diagnostics.read.analysis import LEAST_PLANS, MOST_RUNS, chosen_runs, diagnose, diagnosed_runs
from evaluation.diagnostics.read.tables import TABLES
from evaluation.store.snapshot import Snapshot


@require_safe
def diagnostics(request: HttpRequest, slug: str) -> HttpResponse | FileResponse:
    """Template evaluation/diagnostics/diagnostics.html. Address: ?run=A&run=B... (default: all scored) &by=FACET (of
    the rates by segment) &base=RUN (the run without calls, default that of the same model) &table=NAME&format=csv|json
    (a table as a file) &figure=NAME&format=svg|png."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    runs = diagnosed_runs(benchmark)
    chosen = chosen_runs(request.GET.getlist("run"), runs)
    snapshot = Snapshot(benchmark, runs, request.user)
    found = diagnose(snapshot, runs, chosen, by=request.GET.get("by", ""), base=request.GET.get("base", ""))
    if format := request.GET.get("format"):
        if figure := request.GET.get("figure"):
            return figure_file(benchmark, found, figure, format)
        return diagnostics_file(slug, found, request.GET.get("table", ""), format)
    context = {
        **benchmark_context(request, benchmark, "diagnostics"),
        "found": found,
        "shown": shown(found),
        **staleness(benchmark, found.runs, snapshot.number),
        "scored": runs,
        "most": MOST_RUNS,
        "least": LEAST_PLANS,
        "tables": [(name, table.title) for name, table in TABLES.items()],
        "formats": FORMATS,
        "figures": list(DRAWINGS.items()),
        "figure_formats": FIGURES,
    }
    return render(request, "evaluation/diagnostics/diagnostics.html", context)
