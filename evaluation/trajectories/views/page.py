"""The list of trajectories. Its address contains all filters: a query, and terms of one field each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.common.access import roles_of
from annotation.common.loading import load_benchmark, rights_in
from annotation.common.tabs import tabs_of
from annotation.workflow import Right
from evaluation.common.present_crops import present_crops
from evaluation.common.shown import values_of
from evaluation.common.staleness import staleness
from evaluation.common.terms import PAGE_SIZE, narrowing, query_error, terms_of
from evaluation.common.vocabulary import query_vocabulary
from evaluation.exporters.tables import writes_parquet
from evaluation.models import Run, Trajectory
from evaluation.query.check import Vocabulary
from evaluation.query.complete import complete
from evaluation.store.scores import put_listed_scores
from evaluation.store.snapshot import Snapshot
from evaluation.store.trajectory_list import LOOK, TrajectoryList
from evaluation.trajectories.present.facets import Terms, address, facets
from evaluation.trajectories.present.file import list_file
from evaluation.trajectories.present.order import orders_of
from evaluation.trajectories.present.rows import row_of
from evaluation.trajectories.present.shown import Fact, Shown, facts_of, shown_of
from evaluation.trajectories.read.marks import tags_on
from evaluation.trajectories.views.preview import preview_context
from webapp.common.paging import Page

PLAN = "sample__gold__revision__plan_tools"
DENSITIES = ("", "compact")


@dataclass(frozen=True, slots=True)
class Token:
    """One term in the query bar, and the list without it."""

    name: str
    value: str
    without: str


@require_safe
def trajectories(request: HttpRequest, slug: str) -> HttpResponse | FileResponse:
    """Fifty a page, after the trajectory ``?after=``; a row carries the terms on, so that its page knows the list.
    ?format=csv|json|jsonl|parquet: the whole list as a file."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    terms = terms_of(request)
    runs = list(Run.objects.of(benchmark))
    snapshot = Snapshot(benchmark, runs, request.user)
    error = query_error(terms.get("q", ""), query_vocabulary(benchmark, runs, request.user, snapshot))
    format = request.GET.get("format", "")
    shown, rights = shown_of(terms, snapshot.facets), rights_in(request, benchmark)
    if format and not error:
        found = TrajectoryList(benchmark, runs, terms, request.user, snapshot)
        return list_file(benchmark, found, request.user, format, shown.names)
    context: dict[str, Any] = {
        "benchmark": benchmark, "q": terms.get("q", ""), "error": error, "terms": _hidden(terms),
        "tokens": _tokens(terms, runs), "density": _density(terms), "rows_show": shown,
        "member": bool(roles_of(request.user, benchmark)),
        "address": urlencode(narrowing(terms)), "orders": orders_of(terms),
        "clear": address({name: value for name, value in terms.items() if name in LOOK}),
        "run": (one := next((run for run in runs if str(run.pk) == terms.get("run")), None)),
        "parquet": writes_parquet(), "rights": rights, **tabs_of(benchmark, rights, "failures"),
        **staleness(benchmark, [one] if one else runs, snapshot.number),
    }  # fmt: skip
    context |= _unread(request, snapshot, runs, terms) if error else _found(request, snapshot, runs, terms, shown)
    context["has_tags"] = any(facet.name == "tag" for facet in context["facets"])
    at = request.GET.get("at", "")
    if at.isascii() and at.isdigit() and len(at) < 19:
        context |= {"shown": preview_context(request, slug, int(at))}
    return render(request, "evaluation/trajectories/trajectories.html", context, status=400 if error else 200)


@require_safe
def completion(request: HttpRequest, slug: str) -> HttpResponse:
    """Suggestions for the caret position in a query: ?q=…&at=12."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    runs = list(Run.objects.of(benchmark))
    text, at = request.GET.get("q", ""), request.GET.get("at", "")
    snapshot = Snapshot(benchmark, runs, request.user)
    known = query_vocabulary(benchmark, runs, request.user, snapshot)
    words = Vocabulary({**known.names, "tool": snapshot.tools, "tool_failed": snapshot.tools}, known.facets)
    caret = min(int(at), len(text)) if at.isascii() and at.isdigit() and len(at) < 6 else len(text)
    found = [
        {"text": one.text, "about": one.about and gettext(one.about), "start": one.start}
        for one in complete(text, caret, words)
    ]
    return JsonResponse({"proposals": found})


def _found(request: HttpRequest, snapshot: Snapshot, runs: list[Run], terms: Terms, shown: Shown) -> dict[str, Any]:
    benchmark = snapshot.benchmark
    found = TrajectoryList(benchmark, runs, terms, request.user, snapshot)
    pks, before = found.page(request.GET.get("after", ""), PAGE_SIZE)
    more = before + len(pks) < found.total
    rows, tags = _rows(pks), tags_on(pks, request.user)
    put_listed_scores(snapshot, rows)
    crops = present_crops(rows, snapshot.runs)
    facts = _facts(snapshot, rows, shown)
    return {
        "total": found.total,
        "page": Page(rows, str(pks[-1]) if more else ""),
        "first": before + 1,
        "last": before + len(pks),
        "rows": [row_of(row, benchmark.slug, terms, tags, facts[row.pk], crops) for row in rows],
        "facets": facets(found, terms, runs),
        "several_runs": found.several_runs,
    }


def _unread(request: HttpRequest, snapshot: Snapshot, runs: list[Run], terms: Terms) -> dict[str, Any]:
    """Return no rows if the query cannot be read, and the facets of the other terms, whose links omit it."""
    others = {name: value for name, value in terms.items() if name != "q"}
    found = TrajectoryList(snapshot.benchmark, runs, others, request.user, snapshot)
    none: dict[str, Any] = {"total": 0, "page": Page([], ""), "first": 0, "last": 0, "rows": []}
    return none | {"facets": facets(found, others, runs)}


def _rows(pks: list[int]) -> list[Trajectory]:
    """These trajectories with all that a row shows, in this order."""
    rows = Trajectory.objects.filter(pk__in=pks).for_list().prefetch_related(PLAN)
    found = {row.pk: row for row in rows}
    return [found[pk] for pk in pks if pk in found]


def _facts(snapshot: Snapshot, rows: list[Trajectory], shown: Shown) -> dict[int, list[Fact]]:
    """Return the numbers for each row; none of the usual ones outside the grounding population."""
    values = values_of(snapshot, [row.pk for row in rows], shown.names)
    there = [row for row in rows if shown.apart or (row.score and row.score.in_population)]
    found: dict[int, list[Fact]] = {row.pk: [] for row in rows}
    return found | {row.pk: facts_of(values.get(row.pk, {}), shown.names) for row in there}


def _tokens(terms: Terms, runs: list[Run]) -> list[Token]:
    names = {str(run.pk): str(run) for run in runs}
    return [
        Token(name.removeprefix("facet."), names.get(value, value) if name == "run" else value, without)
        for name, value in terms.items()
        if name != "q" and name not in LOOK and (without := address(terms, **{name: ""}))
    ]


def _hidden(terms: Terms) -> list[tuple[str, str]]:
    """Return the hidden fields of the query bar's form."""
    return [(name, value) for name, value in terms.items() if name != "q"]


def _density(terms: Terms) -> str:
    wanted = terms.get("density", "")
    return wanted if wanted in DENSITIES else ""
