"""The leaderboard of a benchmark: its page, its rows as a file, and asking for scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation.views.loading import load_benchmark
from annotation.views.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.actions.board_rows import Board, BoardRow
from evaluation.actions.export_rows import EXPORTS, metric_rows
from evaluation.actions.queue_scoring import queue_scoring
from evaluation.actions.read_board import SORTED_BY, read_board
from evaluation.exporters.tables import WRITERS
from evaluation.metrics.catalogue import METRICS
from evaluation.views import leaderboard_table as table
from evaluation.views.exports import download
from evaluation.views.leaderboard_chart import accuracy_chart
from evaluation.views.leaderboard_columns import (
    ACCURACY,
    GROUNDED,
    GROUPS,
    METRICS_SHOWN,
    PLAIN,
    SEEN,
    Column,
    plain_columns,
)
from evaluation.views.leaderboard_links import Addresses, slice_links
from evaluation.views.leaderboard_words import settings_words
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import InvalidInput

FORMATS = ("csv", "json")


@require_safe
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse | FileResponse:
    """Template evaluation/leaderboard.html. Address: ?by=FACET&slice=VALUE &sort=METRIC &reference=RUN
    &groups=grounding,toolchain,... (shown side by side) &group=NAME (the one shown on a small screen)
    &published=all &format=csv|json (the metrics of this slice as a file).

    Seven queries for the board, whatever its size; the rest are those of every page of a benchmark.
    """
    benchmark = load_benchmark(request, slug)
    view = View.of(request)
    if "format" in request.GET:
        return _as_file(benchmark, view, request.GET["format"])
    board = read_board(
        benchmark,
        slice_by=view.by,
        slice=view.slice,
        sorted_by=view.sort,
        reference=view.reference,
        metrics=METRICS_SHOWN,
    )
    context = benchmark_context(request, benchmark, "leaderboard")
    return render(request, "evaluation/leaderboard.html", {**context, **_shown(board, view, slug)})


@login_required
@require_POST
def score(request: SignedInRequest, slug: str) -> HttpResponse:
    """Score what has no scores of today; a job does it."""
    benchmark = load_benchmark(request, slug, Right.SCORE)
    job = queue_scoring(actor=request.user, benchmark=benchmark)
    messages.success(request, f"“{job.title}” is under way. The leaderboard shows the new scores when it is done.")
    return redirect("evaluation:leaderboard", slug)


@dataclass(frozen=True)
class View:
    """What the address asks for."""

    by: str
    slice: str
    sort: str
    reference: int | None
    groups: tuple[str, ...]
    group: str
    all_published: bool
    terms: QueryDict

    @classmethod
    def of(cls, request: HttpRequest) -> View:
        terms = request.GET
        by, value = terms.get("by", ""), terms.get("slice", "")
        asked = [name for name in terms.get("groups", "").split(",") if name in GROUPS]
        groups = tuple(name for name in GROUPS if name in asked) or tuple(GROUPS)
        group = terms.get("group", "")
        reference = terms.get("reference", "")
        return cls(
            by=by if value else "",
            slice=value if by else "",
            sort=terms["sort"] if terms.get("sort") in METRICS else SORTED_BY,
            reference=int(reference) if reference.isdecimal() and len(reference) < 19 else None,
            groups=groups,
            group=group if group in groups else groups[0],
            all_published=terms.get("published") == "all",
            terms=terms,
        )

    def without(self, *names: str) -> str:
        """The address of this view but for these terms, for others to be added to."""
        terms = self.terms.copy()
        for name in names:
            terms.pop(name, None)
        return f"?{terms.urlencode()}&" if terms else "?"


def _shown(board: Board, view: View, slug: str) -> dict[str, Any]:
    addresses = Addresses(slug, view.by, view.slice)
    shown = table.Table(
        board=board,
        addresses=addresses,
        columns=plain_columns(view.groups),
        axis=table.accuracy_axis(board),
        difference_axis=table.difference_axis(board),
        refer=f"{view.without('reference')}reference=" if board.whole else "",
    )
    ranked = shown.rows(board.ranked, letters=True)
    rest = view.without("by", "slice")
    published = [row for row in board.published if view.all_published or row.has_quadrants]
    return {
        "board": board,
        "view": view,
        "slices": [(facet, slice_links(facet, board, rest)) for facet in board.facets if facet.values],
        "chips": [_chip(name, view) for name in GROUPS],
        "settings_words": settings_words(board.settings),
        "axis": shown.axis,
        "heads": _heads(view),
        "sorts": {column.metric: _sorted(column, view) for column in (ACCURACY, GROUNDED, SEEN)},
        "bands": [(group, span) for group in GROUPS if (span := _span(group, view, board))],
        "ranked": ranked,
        "baselines": shown.rows(board.baselines, letters=False),
        "failed": [(row, table.hidden_counts(row, addresses)) for row in board.failed],
        "published": table.shown_published(published, view.groups),
        "chart": accuracy_chart(ranked),
        "letters": {row.row.run.pk: row.letter for row in ranked},
        "detectable": _detectable(board),
        "basis": _basis(board.reference),
        "drawn": next((r.row.standing.detail for r in ranked if r.row.standing), {}),
        "with_missing": [(row, n) for row in board.rows() if (n := row.counts.get("missing"))],
    }


def _chip(name: str, view: View) -> dict[str, Any]:
    """A column group: switched on and off where all fit, chosen as the one where one fits."""
    others = [group for group in GROUPS if (group in view.groups) != (group == name)]
    everything = not others or len(others) == len(GROUPS)
    return {
        "name": name,
        "label": GROUPS[name],
        "on": name in view.groups,
        "toggled": None if everything else ",".join(others),
        "groups": ",".join(view.groups) if name in view.groups and len(view.groups) < len(GROUPS) else None,
        "one": name == view.group,
    }


def _heads(view: View) -> list[dict[str, Any]]:
    """The heads of the plain columns."""
    return [
        {"column": column, "sorted": _sorted(column, view), "classes": classes}
        for column, classes in plain_columns(view.groups)
    ]


def _sorted(column: Column, view: View) -> str:
    """The order of a sorted column, as ``aria-sort`` says it."""
    if column.metric != view.sort:
        return ""
    return "ascending" if column.lower_is_better else "descending"


def _span(group: str, view: View, board: Board) -> int:
    """Columns of a group; accuracy and quadrants always stand, the difference on the whole benchmark only."""
    plain = sum(column.group == group for column in PLAIN) if group in view.groups else 0
    if group != "grounding":
        return plain
    return 2 + plain + (1 + board.whole if group in view.groups else 0)


def _basis(reference: BoardRow | None) -> Mapping[str, Any]:
    """What the accuracy of the reference row rests on: clusters, effective n."""
    metric = reference.metrics.get("accuracy") if reference else None
    return (metric.detail if metric else None) or {}


def _detectable(board: Board) -> tuple[float, float] | None:
    """The smallest and the largest of the smallest differences that pairs with the reference could show."""
    known = [row.against.detectable for row in board.rows() if row.against and row.against.detectable is not None]
    return (min(known), max(known)) if known else None


def _as_file(benchmark: Any, view: View, format: str) -> FileResponse:
    """The metrics of this slice, every one of them, with the columns of METRICS 10."""
    if format not in FORMATS:
        raise InvalidInput(f"A leaderboard is exported as {' or '.join(FORMATS)}, not as {format!r}.", field="format")
    rows = (row for row in metric_rows(benchmark, slice_by=view.by) if row["slice"] == view.slice)
    name = "-".join(part for part in (benchmark.slug, "leaderboard", view.by, view.slice) if part)
    return download(
        f"{name}.{format}", lambda out: WRITERS[format](out, rows, EXPORTS["metrics"].columns)
    )  # fmt: skip
