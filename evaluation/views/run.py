"""The page of a run: what it got right, what it looked at, and everything that is not in those numbers."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.views.loading import load_benchmark, rights_in
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Run, Scoring
from evaluation.querysets import samples_without_trajectory
from evaluation.views import run_charts, run_numbers, run_tables
from evaluation.views.run_links import RunLinks

PREFERRED_FACET = "category"


@require_safe
def run_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Evaluated trajectories only, as in the metrics; the facet of the table by slice is ``?slice_by=``."""
    benchmark = load_benchmark(request, slug)
    run = get_object_or_404(Run.objects.of(benchmark), pk=pk)
    links = RunLinks.of(run)
    scoring: Scoring | None = getattr(run, "scoring", None)
    counts = run.trajectories.evaluated().never_hidden()
    missing = samples_without_trajectory(run).count()
    context = {
        "benchmark": benchmark,
        "rights": rights_in(request, benchmark),
        "run": run,
        "scoring": scoring,
        "counts": counts,
        "everything": links.count(counts["all"]),
        "samples_n": counts["all"] + missing,
        "failures_href": links.list(right="no"),
    }
    if scoring is not None:
        metrics = {row.metric: row for row in scoring.metrics.on_slice()}
        recorded = run_numbers.all_recorded(metrics, counts)
        context |= _scored(run, scoring, metrics, counts, missing)
        context |= _by_slice(scoring, request.GET.get("slice_by", ""), links, recorded)
    return render(request, "evaluation/run.html", context)


def _scored(
    run: Run, scoring: Scoring, metrics: run_numbers.Metrics, counts: dict[str, int], missing: int
) -> dict[str, Any]:
    links = RunLinks.of(run)
    settings = MetricSettings(**scoring.settings)
    extras = scoring.extras
    thresholds = extras.get("thresholds") or []
    grounded = metrics.get("grounded_score")
    failed = 0 < scoring.trajectories_n == scoring.failed_n
    return {
        "settings": settings,
        "run_failed": failed,
        "numbers": [] if failed else run_numbers.strip(metrics, counts, links),
        "cells": run_numbers.quadrant_cells(metrics, links),
        "population": links.count(grounded.n if grounded else 0, population="yes"),
        "areas": run_charts.threshold_areas(thresholds),
        "threshold_data": {"counts": thresholds, "list": links.list()},
        "scatter": run_charts.scatter(run.trajectories.evaluated(), settings.ioa_threshold, links),
        "heat": extras.get("heat"),
        "heat_cells": run_charts.heat_cells((extras.get("heat") or {}).get("difference", ())),
        "effects": run_tables.effects(metrics, run, settings.interv_population),
        "judged": run_tables.judged(metrics, run),
        "with_evidence": links.count(counts["with_evidence"], evidence="yes"),
        "tools": run_tables.tools(extras, links),
        "lengths": run_charts.length_bars(extras.get("lengths", ()), links),
        "call_points": run_charts.call_points(list(scoring.metrics.filter(slice_by="calls", metric="accuracy")), links),
        "seen": run_charts.seen_curve(extras.get("coverage", ())),
        "plans": run_tables.plans(extras, metrics, links),
        "hidden": run_tables.never_hidden(metrics, counts, missing, links),
    }


def _by_slice(scoring: Scoring, wanted: str, links: RunLinks, recorded: bool) -> dict[str, Any]:
    """The table by one facet: the one asked for, else the category, else the first there is."""
    names = scoring.metrics.exclude(slice_by__in=run_tables.UNSLICED).order_by("slice_by")
    facets = list(names.values_list("slice_by", flat=True).distinct())
    facet = next((name for name in (wanted, PREFERRED_FACET, *facets) if name in facets), "")
    rows = list(scoring.metrics.filter(slice_by=facet).defer("detail").order_by("pk")) if facet else []
    slices = run_tables.slice_rows(rows, facet, links, recorded)
    return {"slice_by": facet, "slice_facets": facets, "slices": slices}
