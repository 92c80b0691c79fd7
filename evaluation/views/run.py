"""The page of a run: what it got right, what it looked at, and everything that is not in those numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.views.loading import load_benchmark, rights_in
from annotation.workflow import Right
from evaluation.actions.read_extraction import REPORT
from evaluation.actions.read_rewards import read_rewards
from evaluation.actions.read_thresholds import read_grounded_difference, slice_intervals
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Run, Scoring
from evaluation.querysets import TrajectoryQuerySet, samples_without_trajectory
from evaluation.views import run_charts, run_numbers, run_ranking, run_regions, run_repeats, run_tables
from evaluation.views.extraction_shown import report_shown
from evaluation.views.run_file import file_verdicts
from evaluation.views.run_links import RunLinks
from evaluation.views.staleness import staleness
from webapp.common.errors import NotFound

PREFERRED_FACET = "category"


@require_safe
def run_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Evaluated trajectories only, as in the metrics. ``?slice_by=`` is the facet of the table by slice; with
    ``&slice=`` one of its values, the whole page is about that slice."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    run = get_object_or_404(Run.objects.of(benchmark), pk=pk)
    scoring: Scoring | None = getattr(run, "scoring", None)
    piece = _piece(request, scoring)
    links = RunLinks.of(run, *piece) if piece else RunLinks.of(run)
    found = run.trajectories.listed(links.narrowed)
    counts = found.never_hidden()
    missing = _missing(run, links)
    context = {
        "benchmark": benchmark,
        "rights": rights_in(request, benchmark),
        "run": run,
        "scoring": scoring,
        "counts": counts,
        "everything": links.count(counts["all"]),
        "samples_n": None if missing is None else counts["all"] + missing,
        "failures_href": links.list(right="no"),
        "judging_href": f"{reverse('evaluation:judging', args=[slug])}?{urlencode({'run': pk, **links.narrowed})}",
        "piece": piece,
        "rewards": read_rewards(benchmark, run),
        **staleness(benchmark, [run]),
    }
    if scoring is not None:
        whole = {row.metric: row for row in scoring.metrics.on_slice()}
        metrics = {row.metric: row for row in scoring.metrics.on_slice(*piece)} if piece else whole
        context |= _scored(Shown(run, scoring, metrics, links, found, _tables(scoring, piece), piece), counts, missing)
        context["extraction"] = _extraction(request, run, context["rights"], _tables(scoring, piece), piece)
        recorded = run_numbers.all_recorded(metrics, counts)
        context |= _by_slice(scoring, request.GET.get("slice_by", ""), RunLinks.of(run), recorded)
    return render(request, "evaluation/run.html", context)


@dataclass(frozen=True)
class Shown:
    """What a page is made of: a run, or a slice of it. ``tables``: None where there are none of that slice."""

    run: Run
    scoring: Scoring
    metrics: run_numbers.Metrics
    links: RunLinks
    found: TrajectoryQuerySet
    tables: Mapping[str, Any] | None
    piece: tuple[str, str] | None


def _piece(request: HttpRequest, scoring: Scoring | None) -> tuple[str, str] | None:
    """The slice that the page is about. Raises ``NotFound`` for one without metrics of this run."""
    by, value = request.GET.get("slice_by", ""), request.GET.get("slice", "")
    if scoring is None or not value or by in run_tables.UNSLICED:
        return None
    if not scoring.metrics.on_slice(by, value).exists():
        raise NotFound(f"{scoring.run} has no scores on {by[:60]} = {value[:60]}.")
    return by, value


def _extraction(
    request: HttpRequest,
    run: Run,
    rights: Mapping[str, bool],
    tables: Mapping[str, Any] | None,
    piece: tuple[str, str] | None,
) -> dict[str, Any] | None:
    """How answers were read; the lists that its counts lead to are those of the whole run."""
    report = (tables or {}).get(REPORT)
    return report_shown(report, slug=run.benchmark.slug, run=None if piece else run.pk, decides=rights["score"])


def _missing(run: Run, links: RunLinks) -> int | None:
    """How many samples have no trajectory; None on a computed slice, where they are in no list."""
    if not links.missing:
        return None
    return samples_without_trajectory(run, links.narrowed).count()


def _tables(scoring: Scoring, piece: tuple[str, str] | None) -> Mapping[str, Any] | None:
    if piece is None:
        return scoring.extras
    row = scoring.slice_tables.filter(slice_by=piece[0], slice=piece[1]).first()
    return row.tables if row else None


def _scored(shown: Shown, counts: dict[str, int], missing: int | None) -> dict[str, Any]:
    run, scoring, metrics, links, found = shown.run, shown.scoring, shown.metrics, shown.links, shown.found
    settings = MetricSettings(**scoring.settings)
    extras = shown.tables or {}
    placed = metrics.get("valid_grounded_reasoning")
    failed = 0 < scoring.trajectories_n == scoring.failed_n
    heat = extras.get("heat") or {}
    return {
        "settings": settings,
        "run_failed": failed,
        "untabled": shown.tables is None,
        "numbers": [] if failed else run_numbers.strip(metrics, counts, links, provisional=scoring.provisional),
        "cells": run_numbers.quadrant_cells(metrics, links),
        "population": links.count(placed.n if placed else 0, population="yes", counted="yes"),
        "difference": run_numbers.difference(read_grounded_difference(scoring, extras, *(shown.piece or ("", "")))),
        **_thresholds(shown, extras),
        "scatter": run_charts.scatter(found, settings.ioa_threshold, links),
        "regions": run_regions.regions(found, settings.ioa_threshold, links),
        "sizes": run_regions.sizes(found, links),
        "brush": {"action": links.base, "terms": [("run", run.pk), ("population", "yes"), *links.narrowed.items()]},
        "heat": heat,
        "heat_rows": run_charts.heat_rows(heat.get("difference", ()), extras.get("crop_cells", ()), links),
        "effects": run_tables.effects(metrics, run, settings.interv_population, links),
        "judged": run_tables.judged(metrics, run, links),
        "with_evidence": links.count(counts["with_evidence"], evidence="yes"),
        "tools": run_tables.tools(extras, links, scoring.extras.get("tool_names", {})),
        "lengths": run_charts.length_bars(extras.get("lengths", ()), links),
        "call_points": _call_points(shown),
        "seen": run_charts.seen_curve(extras.get("coverage", ()), found.by_calls(), links),
        "plans": run_tables.plans(extras, metrics, found, links),
        "repeats": run_repeats.repeated(extras, links),
        "file": file_verdicts(metrics, settings, links),
        "hidden": run_tables.never_hidden(metrics, counts, missing, links),
    }


def _call_points(shown: Shown) -> list[run_charts.CallPoint]:
    """Of the whole run only: by calls within a slice there are no metrics."""
    if shown.links.narrowed:
        return []
    return run_charts.call_points(list(shown.scoring.metrics.filter(slice_by="calls", metric="accuracy")), shown.links)


def _thresholds(shown: Shown, extras: Mapping[str, Any]) -> dict[str, Any]:
    """The matrix at every threshold; ranks are those of whole runs."""
    counts = extras.get("thresholds") or []
    ranks = None if shown.links.narrowed else run_ranking.ranking(shown.run)
    data = {
        "counts": counts,
        "intervals": slice_intervals(shown.scoring, *shown.piece)
        if shown.piece and counts
        else extras.get("threshold_intervals"),
        "differences": [list(run_numbers.moved_difference(row)) for row in counts],
        "ranks": ranks.own if ranks else None,
        "of": ranks.of if ranks else None,
        "list": shown.links.list(),
    }
    return {"areas": run_charts.threshold_areas(counts), "threshold_data": data, "ranking": ranks}


def _by_slice(scoring: Scoring, wanted: str, links: RunLinks, recorded: bool) -> dict[str, Any]:
    """The table by one facet: the one asked for, else the category, else the first there is. Raises ``NotFound`` for
    one that there is none of."""
    names = scoring.metrics.exclude(slice_by__in=run_tables.UNSLICED).order_by("slice_by")
    facets = list(names.values_list("slice_by", flat=True).distinct())
    if wanted and wanted not in facets:
        raise NotFound(f"{scoring.run} is not scored by {wanted[:60]}. It is by {', '.join(facets) or 'nothing'}.")
    facet = next((name for name in (wanted, PREFERRED_FACET, *facets) if name in facets), "")
    rows = list(scoring.metrics.filter(slice_by=facet).defer("detail").order_by("pk")) if facet else []
    slices = run_tables.slice_rows(rows, facet, links, recorded)
    return {"slice_by": facet, "slice_facets": facets, "slices": slices}
