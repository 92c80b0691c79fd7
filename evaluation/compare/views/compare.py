"""Two to six runs side by side on the samples they share."""

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
from evaluation.compare.present.comparison import shown
from evaluation.compare.present.export import comparison_file
from evaluation.compare.present.frames import chosen
from evaluation.compare.present.links import LEAST_RUNS, Asked, PairLinks
from evaluation.compare.present.look import shown_look
from evaluation.compare.read.crops import read_crop_agreement
from evaluation.compare.read.runs import comparable_runs, compare_runs
from evaluation.exporters.tables import writes_parquet
from evaluation.models import Run
from evaluation.query.sql import MOST_RUNS
from webapp.common.htmx import render_page
from webapp.common.http import Request


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
    """How far the crops of the first two runs agree: ?run=A&run=B. A piece of the page above, or a page."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    scored = comparable_runs(benchmark)
    tabs = tabs_of(benchmark, rights_in(request, benchmark), "compare")
    context: dict[str, Any] = {"benchmark": benchmark, "scored": scored, **tabs}
    if len(scored) < LEAST_RUNS:
        return render(request, "evaluation/compare/empty.html", context)
    asked = Asked.of(request.GET, scored)
    a, b = asked.runs[:2]
    agreement = read_crop_agreement(benchmark, a, b)
    letters = letters_of(benchmark)
    context |= {
        "a": letters[a.pk],
        "b": letters[b.pk],
        "asked": asked,
        "agreement": agreement,
        "n": PairLinks(slug, a.pk, b.pk).cropped(agreement.n),
    }
    return render_page(request, "evaluation/compare/crops.html", "evaluation/compare/_crops.html", context)


def _at_what_is_compared(request: HttpRequest, asked: Asked) -> HttpResponse:
    """The address that names the runs, where one was named twice or alone."""
    named = [pk for pk in request.GET.getlist("run") if pk]
    if len(set(named)) < len(named):
        runs = " and ".join(str(run) for run in asked.runs)
        messages.warning(request, gettext("A run can't be compared with itself. These are %(runs)s.") % {"runs": runs})
    terms = request.GET.copy()
    terms.setlist("run", [str(run.pk) for run in asked.runs])
    return redirect(f"{request.path}?{terms.urlencode()}")


def _picks(runs: Sequence[Run], letters: Mapping[int, str]) -> list[tuple[str, Run | None]]:
    """The fields that choose runs, each with its letter; one more, empty, while there is room."""
    picks: list[tuple[str, Run | None]] = [(letters[run.pk], run) for run in runs]
    return picks if len(runs) >= MOST_RUNS else [*picks, ("", None)]
