"""The list of trajectories. Everything that narrows it stands in its address."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.views.loading import load_benchmark
from annotation.workflow import Right
from evaluation.models import Run, Trajectory
from evaluation.querysets import TRAJECTORY_FILTERS, TrajectoryQuerySet
from evaluation.views.trajectories_facets import Terms, address, facets
from evaluation.views.trajectories_rows import row_of
from webapp.common.errors import InvalidInput
from webapp.common.paging import Page

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class Token:
    """One term in the query bar, and the list without it."""

    name: str
    value: str
    without: str


@require_safe
def trajectories(request: HttpRequest, slug: str) -> HttpResponse:
    """Fifty a page, after the trajectory ``?after=``; a row carries the terms on, so that its page knows the list."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    terms = terms_of(request)
    runs = {str(run.pk): run for run in Run.objects.of(benchmark).without_tables()}
    every: TrajectoryQuerySet = Trajectory.objects.of(benchmark)
    found = every.listed(terms)
    page = _page(found, every, request.GET.get("after", ""))
    chosen = runs.get(terms.get("run", ""))
    context = {
        "benchmark": benchmark,
        "run": chosen,
        "total": found.count(),
        "page": page,
        "rows": [row_of(trajectory, slug, terms) for trajectory in page.rows],
        "facets": facets(every, terms, runs.values()),
        "terms": terms.items(),
        "tokens": [_token(name, value, terms, runs) for name, value in terms.items()],
        "several_runs": chosen is None,
    }
    return render(request, "evaluation/trajectories.html", context)


def terms_of(request: HttpRequest) -> dict[str, str]:
    """The terms of the address that narrow a list; blank and unknown ones are left out."""
    known = {*TRAJECTORY_FILTERS, "flip"}
    asked = ((name, str(value)) for name, value in request.GET.items())
    return {name: value for name, value in asked if value and (name in known or name.startswith("facet."))}


def _page(found: TrajectoryQuerySet, every: TrajectoryQuerySet, after: str) -> Page[Trajectory]:
    rows = found.for_list().prefetch_related("sample__gold__revision__plan_tools")
    if after:
        rows = rows.after(_place(every, after))
    shown = list(rows[: PAGE_SIZE + 1])
    more = len(shown) > PAGE_SIZE
    return Page(shown[:PAGE_SIZE], str(shown[PAGE_SIZE - 1].pk) if more else "")


def _place(every: TrajectoryQuerySet, after: str) -> Trajectory:
    place = every.select_related("sample").filter(pk=int(after)).first() if _is_key(after) else None
    if place is None:
        raise InvalidInput(
            "The address names a page that does not exist. Start from the first page.", code="stale_page", field="after"
        )
    found: Trajectory = place
    return found


def _is_key(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _token(name: str, value: str, terms: Terms, runs: dict[str, Run]) -> Token:
    words = str(runs[value]) if name == "run" and value in runs else value
    return Token(name.removeprefix("facet."), words, address(terms, **{name: ""}))
