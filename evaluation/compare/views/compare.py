"""Two to six runs side by side on the samples they share; of two of them how far their crops agree, and the slices on
which they differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark, rights_in
from annotation.common.tabs import tabs_of
from annotation.workflow import Right
from evaluation.common.letters import letters_of
from evaluation.common.staleness import staleness
from evaluation.compare.present.calling import shown_calling
from evaluation.compare.present.comparison import Axis, Line, axis_over, line_of, shown
from evaluation.compare.present.export import comparison_file
from evaluation.compare.present.frames import chosen
from evaluation.compare.present.links import LEAST_RUNS, Asked, PairLinks
from evaluation.compare.present.look import shown_look
from evaluation.compare.present.sides import side_rows
from evaluation.compare.read.crops import read_crop_agreement
from evaluation.compare.read.runs import comparable_runs, compare_runs
from evaluation.compare.read.sides import compare_sides, matched_pairs
from evaluation.compare.read.slices import SliceContrast, find_largest_differences, minimum_size
from evaluation.exporters.tables import writes_parquet
from evaluation.models import Run
from evaluation.query.sql import MOST_RUNS
from webapp.common.htmx import render_page
from webapp.common.http import Request
from webapp.common.translation import all_of

SIZES = (10, 20, 50, 100, 200)
"""Least numbers of samples of a slice that are proposed."""


@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse | FileResponse:
    """Template evaluation/compare/compare.html. Address: ?run=A&run=B... (two to six, the first is compared with each
    other) &by=FACET (slices of the first two) &cell=both|a_only|b_only|neither &sample=KEY (shown in frames)
    &format=csv|json|jsonl|parquet|md|tex|svg|png (the differences as a file)."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    scored = comparable_runs(benchmark)
    rights = rights_in(request, benchmark)
    context: dict[str, Any] = {"benchmark": benchmark, "rights": rights, **tabs_of(benchmark, rights, "compare")}
    if len(scored) < LEAST_RUNS:
        return render(request, "evaluation/compare/empty.html", context | {"scored": scored})
    asked = Asked.of(request.GET, scored)
    if not asked.is_said(request.GET):
        return _at_what_is_compared(request, asked)
    found = compare_runs(benchmark, asked.runs, by=asked.by)
    asked = asked.with_cell(found.cells)
    letters = letters_of(benchmark)
    drawn = shown(slug, found, asked, letters)
    if format := request.GET.get("format"):
        return comparison_file(slug, found, drawn, letters, format)
    context |= staleness(benchmark, asked.runs) | {
        "asked": asked,
        "found": found,
        "shown": drawn,
        "calling": shown_calling(found, PairLinks(slug, asked.runs[0].pk, asked.runs[1].pk), letters),
        "look": shown_look(found.look, PairLinks(slug, asked.runs[0].pk, asked.runs[1].pk)),
        "view": chosen(benchmark, asked.runs, found.cells[asked.cell], asked, letters),
        "picks": _picks(asked.runs, letters),
        "scored": scored,
        "parquet": writes_parquet(),
        "swapped": asked.address(run=[run.pk for run in (asked.runs[1], asked.runs[0], *asked.runs[2:])], sample=""),
        "facets": [(name, asked.address(by=name), name == asked.by) for name in found.facets],
        "all_facets": asked.address(by=""),
    }
    return render(request, "evaluation/compare/compare.html", context)


@require_safe
def crops(request: Request, slug: str) -> HttpResponse:
    """Show the agreement of the crops of the first two runs: ?run=A&run=B. A piece of the page above, or a page."""
    context, asked = _first_two(request, slug)
    if asked is None:
        return render(request, "evaluation/compare/empty.html", context)
    a, b = asked.runs[:2]
    agreement = read_crop_agreement(context["benchmark"], a, b)
    context |= {"agreement": agreement, "n": PairLinks(slug, a.pk, b.pk).cropped(agreement.n)}
    return render_page(request, "evaluation/compare/crops.html", "evaluation/compare/_crops.html", context)


@require_safe
def slices(request: Request, slug: str) -> HttpResponse:
    """Compare the first two runs slice by slice: ?run=A&run=B&least=20 (the fewest samples of a slice). A piece of the
    page above, or a page."""
    context, asked = _first_two(request, slug)
    if asked is None:
        return render(request, "evaluation/compare/empty.html", context)
    a, b = asked.runs[:2]
    found = find_largest_differences(context["benchmark"], a, b, least=minimum_size(request.GET.get("least", "")))
    axis = axis_over([one.found for one in found.slices])
    lines = [_line(slug, one, a, b, axis) for one in found.slices]
    context |= {"found": found, "axis": axis, "lines": lines, "sizes": sorted({*SIZES, found.least})}
    return render_page(request, "evaluation/compare/slices.html", "evaluation/compare/_found.html", context)


@require_safe
def sides(request: Request, slug: str) -> HttpResponse:
    """Template evaluation/compare/sides.html: each scored run on the real and on the generated images of matched
    pairs. Context: pairs (MatchedPairs), rows (SideRow)."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    pairs = matched_pairs(benchmark)
    found = compare_sides(pairs, comparable_runs(benchmark)) if len(pairs) else []
    context: dict[str, Any] = {"benchmark": benchmark, **tabs_of(benchmark, rights_in(request, benchmark), "compare")}
    context |= {"pairs": pairs, "rows": side_rows(slug, found)}
    return render(request, "evaluation/compare/sides.html", context)


def _line(slug: str, one: SliceContrast, a: Run, b: Run, axis: Axis) -> Line:
    label = " · ".join(f"{name} {value}" for name, value in one.terms)
    return line_of(label, one.found, PairLinks(slug, a.pk, b.pk, *one.terms), axis)


def _first_two(request: HttpRequest, slug: str) -> tuple[dict[str, Any], Asked | None]:
    """The context of a page about two runs, with their letters ``a`` and ``b``, and the comparison; None where fewer
    runs are scored."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    scored = comparable_runs(benchmark)
    tabs = tabs_of(benchmark, rights_in(request, benchmark), "compare")
    context: dict[str, Any] = {"benchmark": benchmark, "scored": scored, **tabs}
    if len(scored) < LEAST_RUNS:
        return context, None
    asked, letters = Asked.of(request.GET, scored), letters_of(benchmark)
    a, b = (letters[run.pk] for run in asked.runs[:2])
    return context | {"a": a, "b": b, "asked": asked}, asked


def _at_what_is_compared(request: HttpRequest, asked: Asked) -> HttpResponse:
    """Return the address with the compared runs, if one was named twice or alone."""
    named = [pk for pk in request.GET.getlist("run") if pk]
    if len(set(named)) < len(named):
        runs = all_of([str(run) for run in asked.runs])
        messages.warning(request, gettext("A run can't be compared with itself. These are %(runs)s.") % {"runs": runs})
    terms = request.GET.copy()
    terms.setlist("run", [str(run.pk) for run in asked.runs])
    return redirect(f"{request.path}?{terms.urlencode()}")


def _picks(runs: Sequence[Run], letters: Mapping[int, str]) -> list[tuple[str, Run | None]]:
    """The fields that choose runs, each with its letter; one more, empty, while there is room."""
    picks: list[tuple[str, Run | None]] = [(letters[run.pk], run) for run in runs]
    return picks if len(runs) >= MOST_RUNS else [*picks, ("", None)]
