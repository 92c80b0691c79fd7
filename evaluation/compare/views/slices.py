"""The slices on which two runs differ most: a piece of the page of a comparison, or a page."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark, rights_in
from annotation.common.tabs import tabs_of
from annotation.workflow import Right
from evaluation.common.letters import letters_of
from evaluation.compare.present.comparison import Axis, Line, axis_over, line_of
from evaluation.compare.present.links import LEAST_RUNS, Asked, PairLinks
from evaluation.compare.read.runs import comparable_runs
from evaluation.compare.read.slices import SliceContrast, find_largest_differences, minimum_size
from evaluation.models import Run
from webapp.common.htmx import render_page
from webapp.common.http import Request

SIZES = (10, 20, 50, 100, 200)
"""Least numbers of samples that are proposed."""


@require_safe
def slices(request: Request, slug: str) -> HttpResponse:
    """Compare the first two runs slice by slice: ?run=A&run=B&least=20 (the fewest samples of a slice)."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    scored = comparable_runs(benchmark)
    tabs = tabs_of(benchmark, rights_in(request, benchmark), "compare")
    context: dict[str, Any] = {"benchmark": benchmark, "scored": scored, **tabs}
    if len(scored) < LEAST_RUNS:
        return render(request, "evaluation/compare/empty.html", context)
    asked = Asked.of(request.GET, scored)
    a, b = asked.runs[:2]
    found = find_largest_differences(benchmark, a, b, least=minimum_size(request.GET.get("least", "")))
    axis = axis_over([one.found for one in found.slices])
    letters = letters_of(benchmark)
    context |= {
        "a": letters[a.pk],
        "b": letters[b.pk],
        "asked": asked,
        "found": found,
        "axis": axis,
        "lines": [_line(slug, one, a, b, axis) for one in found.slices],
        "sizes": sorted({*SIZES, found.least}),
    }
    return render_page(request, "evaluation/compare/slices.html", "evaluation/compare/_found.html", context)


def _line(slug: str, one: SliceContrast, a: Run, b: Run, axis: Axis) -> Line:
    label = " · ".join(f"{name} {value}" for name, value in one.terms)
    return line_of(label, one.found, PairLinks(slug, a.pk, b.pk, *one.terms), axis)
