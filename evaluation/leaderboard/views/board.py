"""The leaderboard of a benchmark: its page, its rows as a file, and asking for scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.access import roles_of
from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.common.downloads import download
from evaluation.common.exports import EXPORTS, metric_rows
from evaluation.common.figures import FIGURES
from evaluation.common.links import Count
from evaluation.common.provenance import settings_words, state_words
from evaluation.common.slices import LISTED, saved_names
from evaluation.common.terms import query_error
from evaluation.common.vocabulary import query_vocabulary
from evaluation.exporters.documents import DOCUMENTS
from evaluation.exporters.tables import WRITERS, writes_parquet
from evaluation.leaderboard.present import table
from evaluation.leaderboard.present.address import CHOSEN, SLICED, View
from evaluation.leaderboard.present.chart import accuracy_chart
from evaluation.leaderboard.present.columns import (
    ACCURACY,
    DIFFERENCE,
    GROUNDED,
    GROUPS,
    OVERVIEW,
    PRESETS,
    SEEN,
    Column,
)
from evaluation.leaderboard.present.export import range_notes, view_columns, view_document, view_rows
from evaluation.leaderboard.present.figure import figure_png, figure_svg
from evaluation.leaderboard.present.links import Addresses, saved_links, slice_links
from evaluation.leaderboard.present.menu import column_menu
from evaluation.leaderboard.read.board import load_leaderboard
from evaluation.leaderboard.read.rows import Leaderboard, LeaderboardRow, board_metric_rows
from evaluation.metrics.settings_help import counting_words
from evaluation.models import Run
from evaluation.query.syntax import QueryError
from evaluation.scoring.queue import queue_scoring, scoring_under_way
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import InvalidInput, NotFound
from webapp.common.formatting import decimal

FORMATS = (*WRITERS, *DOCUMENTS, *FIGURES)


@require_safe
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse | FileResponse:
    """Template evaluation/leaderboard/leaderboard.html. Address: ?by=FACET&slice=VALUE &sort=METRIC &reference=RUN
    &preset=overview|grounding|tools|planning|faithfulness|paper (columns by a name) &empty=show (also empty ones)
    &groups=grounding,toolchain,... (shown side by side) &group=NAME (the one shown on a small screen)
    &columns=METRIC,... (in this order) &pin=METRIC,... &intervals=yes &published=all
    &format=csv|json|jsonl|parquet|md|tex|svg|png (this view as a file) &table=metrics (all metrics of the slice).

    ?q=QUERY is the board on the results of a query, ?by=saved slice&slice=NAME on a saved one. At most eight queries
    for a board of any size, and one more if gold has changed; the rest are those of every page of a benchmark.
    """
    view = View.of(request)
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    error = _query_error(request, benchmark, view)
    if error:
        view = replace(view, by="", slice="")
    format = request.GET.get("format", "")
    if format and not error and request.GET.get("table") == "metrics":
        return _metrics_file(request, benchmark, view, format)
    if format and format not in FORMATS:
        raise InvalidInput(
            gettext("A leaderboard is exported as %(formats)s, not as %(format)s.")
            % {"formats": ", ".join(FORMATS), "format": repr(format)},
            field="format",
        )
    board = load_leaderboard(
        benchmark,
        slice_by=view.by,
        slice=view.slice,
        sorted_by=view.sort,
        reference=view.reference,
        metrics=view.metrics,
        person=request.user,
    )
    view = view.on(board)
    if format and not error:
        return _view_file(benchmark, board, view, format)
    view = view.folding(board)
    context = benchmark_context(request, benchmark, "leaderboard") | _shown(board, view, slug)
    context["scoring_job"] = scoring_under_way(benchmark)
    if names := saved_names(benchmark, request.user):
        context["saved"] = saved_links(names, board, view.without(*SLICED))
    context |= {"q": request.GET.get("q", "").strip(), "error": error, "terms": view.others(*SLICED)}
    context |= {"listed": urlencode({"q": view.query}), "member": bool(roles_of(request.user, benchmark))}
    context["whole"] = view.without(*SLICED).rstrip("&")
    return render(request, "evaluation/leaderboard/leaderboard.html", context, status=400 if error else 200)


@login_required
@require_POST
def score(request: SignedInRequest, slug: str) -> HttpResponse:
    """Have a job score the runs whose scores are missing or stale."""
    benchmark = load_benchmark(request, slug, Right.SCORE)
    job = queue_scoring(actor=request.user, benchmark=benchmark)
    messages.success(
        request,
        gettext("“%(title)s” has started. The leaderboard shows the new scores when it is done.")
        % {"title": job.title_words},
    )
    return redirect("evaluation:leaderboard", slug)


def _shown(board: Leaderboard, view: View, slug: str) -> dict[str, Any]:
    addresses = Addresses(slug, view.by, view.slice, board.query)
    shown = table.Table(
        board=board,
        addresses=addresses,
        columns=view.columns,
        intervals=view.intervals,
        axis=table.accuracy_axis(board),
        difference_axis=table.difference_axis(board),
        drawn=view.drawn,
        refer=f"{view.without('reference')}reference=" if board.whole else "",
    )
    ranked = shown.rows(board.ranked)
    rest = view.without(*SLICED)
    published = [row for row in board.published if view.all_published or row.has_quadrants]
    return {
        "board": board,
        "view": view,
        "slices": [(facet, slice_links(facet, board, rest)) for facet in board.facets if facet.values],
        "presets": [_preset(name, view) for name in PRESETS],
        "chips": [] if view.preset else [_chip(name, view) for name in GROUPS],
        "settings_words": settings_words(board.settings),
        "axis": shown.axis,
        "heads": _heads(view),
        "sorts": {column.metric: _sorted(column, view) for column in (ACCURACY, GROUNDED, SEEN)},
        "bands": _bands(view, board),
        "menu": column_menu(view),
        "ranked": ranked,
        "baselines": shown.rows(board.baselines),
        "detectors": shown.rows(board.detectors),
        "people": shown.rows(board.people),
        "failed": [(row, table.hidden_counts(row, addresses)) for row in board.failed],
        "published": table.shown_published(published, view.columns),
        "chart": accuracy_chart(ranked),
        "detectable": _detectable(board),
        "ablations": table.shown_ablations(board, addresses),
        "basis": _basis(board.reference),
        "family": next((row.against.family_words for row in board.rows() if row.against), ""),
        "drawn": next((r.row.standing.detail for r in ranked if r.row.standing), {}),
        "parquet": writes_parquet(),
        "range_notes": range_notes(board),
        "replaced": [
            (row.run, Count(lost, addresses.trajectories(row.run.pk, no_grounding="image_replaced")))
            for row in board.rows()
            if (lost := row.image_replaced)
        ],
        "with_missing": [(row, n) for row in board.rows() if not row.by_people and (n := row.counts.get("missing"))],
    }


def _preset(name: str, view: View) -> dict[str, Any]:
    """A set of columns. Overview is what an address without columns means."""
    terms = "" if name == OVERVIEW else f"preset={name}"
    return {
        "label": gettext(PRESETS[name].label),
        "href": f"{view.without('preset', *CHOSEN, 'edit', 'empty')}{terms}",
        "current": name == view.preset,
    }


def _chip(name: str, view: View) -> dict[str, Any]:
    """Return a column group: toggled individually if all fit, selected as the visible one if only one fits."""
    others = [group for group in GROUPS if (group in view.groups) != (group == name)]
    everything = not others or len(others) == len(GROUPS)
    return {
        "name": name,
        "label": str(GROUPS[name]),
        "on": name in view.groups,
        "toggled": None if everything else ",".join(others),
        "groups": ",".join(view.groups) if name in view.groups and len(view.groups) < len(GROUPS) else None,
        "one": name == view.group,
    }


def _heads(view: View) -> list[dict[str, Any]]:
    """The heads of the plain columns."""
    return [{"column": column, "sorted": _sorted(column, view), "classes": classes} for column, classes in view.columns]


def _sorted(column: Column, view: View) -> str:
    """The order of a sorted column, as ``aria-sort`` says it."""
    if column.metric != view.sort:
        return ""
    return "ascending" if column.lower_is_better else "descending"


def _bands(view: View, board: Leaderboard) -> list[tuple[str, str, int]]:
    """The groups over the visible columns, with their spans.

    Accuracy is always visible, the difference only on the whole benchmark."""
    fixed = ["grounding"] * (1 + len(view.drawn - (set() if board.whole else {DIFFERENCE})))
    plain = ["pinned" if column.metric in view.pinned else column.group for column, _ in view.columns]
    words = {**GROUPS, "pinned": gettext("Pinned")}
    return [(group, str(words[group]), len(list(same))) for group, same in groupby([*fixed, *plain])]


def _basis(reference: LeaderboardRow | None) -> Mapping[str, Any]:
    """Return the basis of the accuracy of the reference row: clusters, effective n."""
    metric = reference.metrics.get("accuracy") if reference else None
    return (metric.detail if metric else None) or {}


def _detectable(board: Leaderboard) -> tuple[float, float] | None:
    """The smallest and the largest of the smallest differences that pairs with the reference could show."""
    known = [row.against.detectable for row in board.rows() if row.against and row.against.detectable is not None]
    return (min(known), max(known)) if known else None


def _query_error(request: HttpRequest, benchmark: Any, view: View) -> QueryError | None:
    """The error in the query of the leaderboard; None for a valid query."""
    if not view.query:
        return None
    runs = list(Run.objects.of(benchmark))
    return query_error(view.query, query_vocabulary(benchmark, runs, request.user))


def _metrics_file(request: HttpRequest, benchmark: Any, view: View, format: str) -> FileResponse:
    """Every metric of this slice, with the columns of docs/metrics.md#exports."""
    if format not in WRITERS:
        raise InvalidInput(
            gettext("Metrics are exported as %(writers)s, not as %(format)s.")
            % {"writers": ", ".join(WRITERS), "format": repr(format)},
            field="format",
        )
    if view.by in LISTED:
        board = load_leaderboard(benchmark, slice_by=view.by, slice=view.slice, person=request.user)
        rows = board_metric_rows(benchmark, board)
    else:
        rows = (row for row in metric_rows(benchmark, slice_by=view.by) if row["slice"] == view.slice)
    name = _filename(benchmark, "metrics", view, format)
    return download(name, lambda out: WRITERS[format](out, rows, EXPORTS["metrics"].columns))


def _view_file(benchmark: Any, board: Leaderboard, view: View, format: str) -> FileResponse:
    """This view, row by row and column by column, or its drawing."""
    shown = _shown(board, view, benchmark.slug)
    name = _filename(benchmark, "leaderboard", view, format)
    if format in FIGURES:
        return _figure(shown["chart"], f"{benchmark.title}: accuracy", _rests_on(board, shown), name, format)
    if format in DOCUMENTS:
        bands = [
            (name, shown[band])
            for name, band in (
                ("", "ranked"), ("Baselines", "baselines"), ("Detectors", "detectors"), ("People", "people"),
            )
        ]  # fmt: skip
        found = view_document(view, board, bands, shown["published"], benchmark.title)
        return download(name, lambda out: DOCUMENTS[format](out, found))
    rows, columns = view_rows(view, board, shown["published"]), view_columns(view, board)
    return download(name, lambda out: WRITERS[format](out, rows, columns))


def _rests_on(board: Leaderboard, shown: Mapping[str, Any]) -> list[str]:
    """Return the basis of this view's figure, in two lines."""
    scoring = board.reference.scoring if board.reference else None
    if scoring is None:
        return []
    clusters = shown["drawn"].get("clusters")
    on = f"{decimal(scoring.samples_n)} samples" + (f" in {decimal(clusters)} image clusters" if clusters else "")
    on = on if board.whole else f"{board.slice_by} {board.slice}"
    return [f"{on} · 95% intervals · {state_words(scoring)}", counting_words(board.settings)]


def _figure(chart: Any, caption: str, basis: Sequence[str], name: str, format: str) -> FileResponse:
    if chart is None:
        raise NotFound(gettext("This view has no figure. It needs two ranked runs with accuracy, and cost or calls."))
    content = figure_png(chart, caption, basis) if format == "png" else figure_svg(chart, caption, basis).encode()
    return FileResponse(BytesIO(content), as_attachment=True, filename=name)


def _filename(benchmark: Any, what: str, view: View, format: str) -> str:
    sliced = (view.by, "" if view.query else view.slice)
    return "-".join(part for part in (benchmark.slug, what, *sliced) if part) + f".{format}"
