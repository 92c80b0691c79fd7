"""The search page, and the results that the palette requests while a person types."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from evaluation.search.present import SHARES, Found, shown
from evaluation.search.read.gold import Wanted, find_benchmarks, find_samples, searchable_by
from evaluation.search.read.results import find_runs, find_slices, run_of
from webapp.common.htmx import render_page
from webapp.common.http import Request

LONGEST = 200
"""The maximum number of characters of a searched text."""


@require_safe
def search(request: Request) -> HttpResponse:
    """Template evaluation/search/search.html and its piece; context: groups, wanted, benchmark or None, n. Address:
    ?q=TEXT &in=SLUG (the benchmark that comes first) &run=RUN (whose trajectories are listed). At most five queries in
    addition to the session's, and one for a run.
    """
    area = searchable_by(request.user)
    here = area.at(request.GET.get("in", ""))
    run = run_of(area, request.GET.get("run", "")) if here else None
    wanted = Wanted(request.GET.get("q", "").strip()[:LONGEST], here.pk if here else 0)
    found = Found(
        find_benchmarks(area, wanted, SHARES["benchmarks"]),
        find_samples(area, wanted, SHARES["samples"]),
        find_runs(area, wanted, SHARES["runs"]),
        find_slices(area, wanted, SHARES["slices"]),
    )
    groups = shown(area, wanted, found, here, run, request.user)
    context = {
        "groups": groups,
        "wanted": wanted.text,
        "benchmark": here,
        "n": sum(len(group.hits) for group in groups),
    }
    return render_page(request, "evaluation/search/search.html", "evaluation/search/_results.html", context)
