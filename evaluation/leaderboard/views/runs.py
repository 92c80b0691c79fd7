"""The list of runs of a benchmark, and the samples a run has no trajectory on."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.common.figures import axis_of
from evaluation.common.rewards import read_rewards
from evaluation.leaderboard.present.cells import Quadrants
from evaluation.leaderboard.present.columns import ACCURACY
from evaluation.leaderboard.present.links import Addresses
from evaluation.leaderboard.present.table import FOUR, metric_cell
from evaluation.leaderboard.read.runs import RunRow, list_runs
from evaluation.models.querysets.runs import samples_without_trajectory
from evaluation.scoring.queue import scoring_under_way

PAGE_SIZE = 100


@require_safe
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    """Template evaluation/leaderboard/runs/runs.html; context: rows (row and its addresses), axis (of accuracy),
    to_score, rewards."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    rows = list_runs(benchmark)
    addresses = Addresses(slug)
    accuracies = [row.metrics["accuracy"] for row in rows if "accuracy" in row.metrics]
    axis = axis_of(end for m in accuracies for end in (m.value, m.ci_low, m.ci_high))
    context = {
        **benchmark_context(request, benchmark, "runs"),
        "rows": [_shown(row, addresses) for row in rows],
        "axis": axis,
        "to_score": [row for row in rows if row.stale or row.scoring is None],
        "rewards": read_rewards(benchmark),
        "scoring_job": scoring_under_way(benchmark),
    }
    return render(request, "evaluation/leaderboard/runs/runs.html", context)


def _shown(row: RunRow, addresses: Addresses) -> dict[str, Any]:
    run = row.run.pk
    accuracy = metric_cell(row, ACCURACY, addresses)
    scored = {"scored": "yes"} if row.scoring else {}
    return {
        "row": row,
        "four": Quadrants([metric_cell(row, column, addresses) for column in FOUR]),
        "accuracy": accuracy,
        "href": addresses.run(run),
        "trajectories": addresses.trajectories(run, **scored),
        "failed": addresses.trajectories(run, failed="yes", **scored),
        "missing": addresses.missing(run),
    }


@require_safe
def missing(request: HttpRequest, slug: str, run: int) -> HttpResponse:
    """Template evaluation/leaderboard/runs/missing.html; context: run, page (of samples).

    ?facet.NAME=VALUE narrows it.
    """
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    found = get_object_or_404(benchmark.runs.select_related("model", "benchmark"), pk=run)
    samples = samples_without_trajectory(found, request.GET.dict())
    context = {
        **benchmark_context(request, benchmark, "runs"),
        "run": found,
        "page": Paginator(samples, PAGE_SIZE).get_page(request.GET.get("page")),
    }
    return render(request, "evaluation/leaderboard/runs/missing.html", context)
