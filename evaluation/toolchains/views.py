"""The analysis of toolchains: which tools runs choose, confuse and call one after another, and what lengths do."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.common.downloads import FORMATS
from evaluation.common.letters import letters_among
from evaluation.common.staleness import staleness
from evaluation.toolchains.present.analysis import TICKS, shown
from evaluation.toolchains.present.export import chains_file
from evaluation.toolchains.present.links import ChainLinks
from evaluation.toolchains.read.analysis import MOST_RUNS, analyse_chains, chosen_runs, scored_runs
from evaluation.toolchains.read.tables import CHAIN_TABLES


@require_safe
def chains(request: HttpRequest, slug: str) -> HttpResponse | FileResponse:
    """Template evaluation/toolchains/toolchains.html. Address: ?run=A&run=B... (default: all with scores) &by=FACET (of
    the table of lengths) &value=VALUE (the whole page about that value) &table=NAME&format=csv|json (a table as a
    file)."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    runs = scored_runs(benchmark)
    chosen = chosen_runs(request.GET.getlist("run"), runs)
    found = analyse_chains(benchmark, runs, chosen, by=request.GET.get("by", ""), value=request.GET.get("value", ""))
    if format := request.GET.get("format"):
        return chains_file(slug, found, request.GET.get("table", ""), format)
    context: dict[str, Any] = {
        **benchmark_context(request, benchmark, "toolchains"),
        "found": found,
        "shown": shown(found, ChainLinks(slug, found), letters_among(runs)),
        **staleness(benchmark, found.runs),
        "scored": [run for run in runs if getattr(run, "scoring", None)],
        "most": MOST_RUNS,
        "ticks": TICKS,
        "tables": [(name, export.title) for name, export in CHAIN_TABLES.items()],
        "formats": FORMATS,
    }
    return render(request, "evaluation/toolchains/toolchains.html", context)
