"""The page of a run: correct answers, grounding, and everything excluded from these numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark, rights_in
from annotation.common.tabs import tabs_of
from annotation.workflow import Right
from evaluation.common.extraction.present import report_shown
from evaluation.common.links import RunLinks
from evaluation.common.rewards import read_rewards
from evaluation.common.staleness import staleness
from evaluation.metrics.accuracy_gap import AccuracyGap
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Experiment, Run, Scoring
from evaluation.models.querysets.runs import samples_without_trajectory
from evaluation.runs.present import charts as run_charts
from evaluation.runs.present import numbers as run_numbers
from evaluation.runs.present import ranking as run_ranking
from evaluation.runs.present import regions as run_regions
from evaluation.runs.present import repeats as run_repeats
from evaluation.runs.present import tables as run_tables
from evaluation.runs.present.file import file_verdicts
from evaluation.runs.present.plan_facts import plan_facts
from evaluation.runs.present.protocols import shown_protocols
from evaluation.store.selection import Selection
from evaluation.store.snapshot import Snapshot
from evaluation.store.tables import report_on, tables_of
from webapp.common.errors import NotFound

PREFERRED_FACET = "category"


@require_safe
def run_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show evaluated trajectories only, as in the metrics. ``?slice_by=`` is the facet of the table by slice; with
    ``&slice=`` one of its values, the page shows only that slice. ``prompts``: (slug, version);
    ``protocols``: how the model was run, as pairs; ``failed_attempts``: (experiment, number).
    """
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    run = get_object_or_404(Run.objects.of(benchmark), pk=pk)
    scoring: Scoring | None = getattr(run, "scoring", None)
    piece = _piece(request, scoring)
    links = RunLinks.of(run, *piece) if piece else RunLinks.of(run)
    snapshot = Snapshot(benchmark, [run], request.user)
    found = Selection(snapshot, links.narrowed)
    counts = found.never_hidden()
    missing, rights = _missing(run, links), rights_in(request, benchmark)
    context = {
        "benchmark": benchmark,
        "rights": rights,
        **tabs_of(benchmark, rights, "runs"),
        "run": run,
        "scoring": scoring,
        "counts": counts,
        "everything": links.count(counts["all"]),
        "samples_n": None if missing is None else counts["all"] + missing,
        "failures_href": links.list(right="no"),
        "judging_href": f"{reverse('evaluation:judging', args=[slug])}?{urlencode({'run': pk, **links.narrowed})}",
        "piece": piece,
        "rewards": read_rewards(benchmark, run),
        "prompts": _prompts(run),
        "protocols": shown_protocols(run),
        "failed_attempts": _failed_attempts(run) if rights["import_runs"] else [],
        **staleness(benchmark, [run], snapshot.number),
    }
    if scoring is not None:
        whole = {row.metric: row for row in scoring.metrics.on_slice()}
        metrics = {row.metric: row for row in scoring.metrics.on_slice(*piece)} if piece else whole
        settings = MetricSettings.from_mapping(scoring.settings)
        tables = tables_of(snapshot, run, links.narrowed, canonical=settings.tool_aliases == "canonical")
        context |= _scored(Shown(run, scoring, settings, metrics, links, found, tables), counts, missing)
        context["extraction"] = (
            None
            if run.by_detector
            else report_shown(
                report_on(snapshot, run, links.narrowed),
                links=links,
                decides=context["rights"]["score"],
                verdicts=context["file"] is None,
            )
        )
        recorded = run_numbers.all_recorded(metrics, counts)
        context |= _by_slice(scoring, request.GET.get("slice_by", ""), RunLinks.of(run), recorded)
    return render(request, "evaluation/runs/run.html", context)


@dataclass(frozen=True)
class Shown:
    """The subject of a page: a run, or a slice of it."""

    run: Run
    scoring: Scoring
    settings: MetricSettings
    metrics: run_numbers.Metrics
    links: RunLinks
    found: Selection
    tables: Mapping[str, Any]


def _prompts(run: Run) -> list[tuple[str, str]]:
    """Return slug and version of the prompts of the run. No query for imported runs."""
    if not any(name.startswith("recipe") for name in run.extra):
        return []
    return list(Experiment.objects.of_run(run).prompts())


def _failed_attempts(run: Run) -> list[tuple[int, int]]:
    """The experiments of the run with failed attempts, and their number. No query for runs of files."""
    if not any(name.startswith("recipe") for name in run.extra):
        return []
    failed = Experiment.objects.of_run(run).with_counts().filter(failed_n__gt=0).order_by("pk")
    return list(failed.values_list("pk", "failed_n"))


def _piece(request: HttpRequest, scoring: Scoring | None) -> tuple[str, str] | None:
    """Return the slice of the page. Raises ``NotFound`` for one without metrics of this run."""
    by, value = request.GET.get("slice_by", ""), request.GET.get("slice", "")
    if scoring is None or not value or by in run_tables.UNSLICED:
        return None
    if not scoring.metrics.on_slice(by, value).exists():
        raise NotFound(
            gettext("%(run)s has no scores on %(by)s = %(value)s.")
            % {"run": scoring.run, "by": by[:60], "value": value[:60]}
        )
    return by, value


def _missing(run: Run, links: RunLinks) -> int | None:
    """Return the number of samples without a trajectory; None on a computed slice, where no list contains them."""
    if not links.missing:
        return None
    return samples_without_trajectory(run, links.narrowed).count()


def _scored(shown: Shown, counts: dict[str, int], missing: int | None) -> dict[str, Any]:
    run, scoring, metrics, links, found = shown.run, shown.scoring, shown.metrics, shown.links, shown.found
    settings, tables = shown.settings, shown.tables
    placed = metrics.get("valid_grounded_reasoning")
    failed = 0 < scoring.trajectories_n == scoring.failed_n
    heat = tables["heat"] or {}
    return {
        "settings": settings,
        "run_failed": failed,
        "changed": tables["tools"] is None,
        "numbers": [] if failed else _numbers(shown, counts),
        "cells": run_numbers.quadrant_cells(metrics, links, provisional=scoring.provisional),
        "population": links.count(placed.n if placed else 0, population="yes", counted="yes"),
        "difference": run_numbers.difference(
            AccuracyGap(**tables["grounded_difference"]), provisional=scoring.provisional
        ),
        **_thresholds(shown),
        "scatter": run_charts.scatter(found, settings.ioa_threshold, links),
        "regions": run_regions.regions(found, settings.ioa_threshold, links),
        "sizes": run_regions.sizes(found, links),
        "brush": {"action": links.base, "terms": [("run", run.pk), ("population", "yes"), *links.narrowed.items()]},
        "heat": heat,
        "heat_rows": run_charts.heat_rows(heat.get("difference", ()), tables["crop_cells"], links),
        "effects": run_tables.effects(
            metrics, found.snapshot, settings.interv_population, links, provisional=scoring.provisional
        ),
        "judged": run_tables.judged(metrics, found.snapshot, links),
        "with_evidence": links.count(counts["with_evidence"], evidence="yes"),
        "tools": run_tables.tools(tables, links),
        "lengths": run_charts.length_bars(tables["lengths"], links),
        "call_points": _call_points(shown),
        "seen": run_charts.seen_curve(tables["coverage"] or (), found.by_calls(), links),
        "plans": (plans := run_tables.plans(tables, metrics, found, links)),
        "plan_facts": plan_facts(metrics, found, links) if plans else None,
        "repeats": run_repeats.repeated(tables, links, provisional=scoring.provisional),
        "file": file_verdicts(metrics, settings, links),
        "hidden": run_tables.exclusion_counts(metrics, counts, missing, links, answers=not run.by_detector),
    }


def _numbers(shown: Shown, counts: dict[str, int]) -> list[run_numbers.SummaryNumber]:
    if shown.run.by_detector:
        return run_numbers.recognition_numbers(shown.metrics, counts, shown.links)
    return run_numbers.summary_numbers(shown.metrics, counts, shown.links, provisional=shown.scoring.provisional)


def _call_points(shown: Shown) -> list[run_charts.CallPoint]:
    """Return the points by number of calls. They exist for the whole run only, not for a slice."""
    if shown.links.narrowed:
        return []
    return run_charts.call_points(list(shown.scoring.metrics.filter(slice_by="calls", metric="accuracy")), shown.links)


def _thresholds(shown: Shown) -> dict[str, Any]:
    """Return the matrix at every threshold; ranks are those of entire runs."""
    counts, left_open = shown.tables["thresholds"], shown.tables["thresholds_open"]
    provisional = shown.scoring.provisional
    ranks = None if shown.links.narrowed else run_ranking.ranking(shown.run)
    data = {
        "counts": counts,
        "intervals": shown.tables["threshold_intervals"],
        "open": left_open or None,
        "provisional": provisional,
        "differences": [
            list(run_numbers.moved_difference(row, undecided, provisional=provisional))
            for row, undecided in zip(counts, left_open or [None] * len(counts), strict=True)
        ],
        "ranks": ranks.own if ranks else None,
        "of": ranks.of if ranks else None,
        "list": shown.links.list(),
    }
    return {"areas": run_charts.threshold_areas(counts), "threshold_data": data, "ranking": ranks}


def _by_slice(scoring: Scoring, wanted: str, links: RunLinks, recorded: bool) -> dict[str, Any]:
    """Return the table by one facet: the requested one, else the category, else the first. Raises ``NotFound`` for an
    unknown facet.
    """
    names = scoring.metrics.exclude(slice_by__in=run_tables.UNSLICED).order_by("slice_by")
    facets = list(names.values_list("slice_by", flat=True).distinct())
    if wanted and wanted not in facets:
        raise NotFound(
            gettext("%(run)s is not scored by %(wanted)s. It is by %(facets)s.")
            % {"run": scoring.run, "wanted": wanted[:60], "facets": ", ".join(facets) or gettext("nothing")}
        )
    facet = next((name for name in (wanted, PREFERRED_FACET, *facets) if name in facets), "")
    found = scoring.metrics.filter(slice_by=facet).order_by("pk")
    # The table shows ranges of the quadrants only for a provisional run; they are in the details.
    kept = found if scoring.provisional else found.defer("detail")
    rows = list(kept) if facet else []
    slices = run_tables.slice_rows(rows, facet, links, recorded)
    return {"slice_by": facet, "slice_facets": facets, "slices": slices}
