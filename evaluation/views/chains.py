"""The analysis of toolchains: which tools runs choose, confuse and call one after another, and what lengths do."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.views.loading import load_benchmark
from annotation.views.tabs import benchmark_context
from evaluation.actions.read_chains import analyse_chains, scored_runs
from evaluation.models import Run
from evaluation.views.chains_export import FORMATS, TABLES, chains_file
from evaluation.views.chains_links import ChainLinks
from evaluation.views.chains_shown import TICKS, shown
from evaluation.views.sample_runs import letters
from webapp.common.errors import InvalidInput, NotFound

MOST_RUNS = 40
"""Runs that one page is about; more are chosen from."""


@require_safe
def chains(request: HttpRequest, slug: str) -> HttpResponse | FileResponse:
    """Template evaluation/chains.html. Address: ?run=A&run=B... (default: all with scores) &by=FACET (of the table of
    lengths) &value=VALUE (the whole page about that value) &table=NAME&format=csv|json (a table as a file)."""
    benchmark = load_benchmark(request, slug)
    runs = scored_runs(benchmark)
    chosen = _chosen(request.GET, runs)
    found = analyse_chains(benchmark, runs, chosen, by=request.GET.get("by", ""), value=request.GET.get("value", ""))
    if format := request.GET.get("format"):
        return chains_file(slug, found, request.GET.get("table", ""), format)
    context: dict[str, Any] = {
        **benchmark_context(request, benchmark, "leaderboard"),
        "found": found,
        "shown": shown(found, ChainLinks(slug, found), letters),
        "stale": any(run.scoring.stale for run in found.runs),
        "scored": [run for run in runs if getattr(run, "scoring", None)],
        "most": MOST_RUNS,
        "ticks": TICKS,
        "tables": [(name, export.title) for name, export in TABLES.items()],
        "formats": FORMATS,
    }
    return render(request, "evaluation/chains.html", context)


def _chosen(terms: QueryDict, runs: list[Run]) -> list[Run]:
    """The runs that the address names, in its order; without any, those with scores."""
    known = {str(run.pk): run for run in runs}
    asked = list(dict.fromkeys(pk for pk in terms.getlist("run") if pk))
    if unknown := next((pk for pk in asked if pk not in known), None):
        raise NotFound(f"There is no run {unknown[:20]} here. Choose runs from the list on this page.")
    if len(asked) > MOST_RUNS:
        raise InvalidInput(f"Up to {MOST_RUNS} runs are analysed at once, not {len(asked)}.", field="run")
    return [known[pk] for pk in asked] or [run for run in runs if getattr(run, "scoring", None)][:MOST_RUNS]
