"""The leaderboard over several benchmarks: its page, and the same rows as a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe

from evaluation.common.board_metrics import BoardMetric
from evaluation.common.downloads import download
from evaluation.common.figures import axis_of
from evaluation.exporters.tables import WRITERS, writes_parquet
from evaluation.leaderboard.present.cells import Cell, Place, drawn_words
from evaluation.leaderboard.present.columns import ACCURACY, CHOICE, GROUNDED, Column
from evaluation.leaderboard.present.links import Addresses
from evaluation.leaderboard.present.table import ANSWERED, FOUR, metric_cell
from evaluation.leaderboard.read.macro import (
    RATES,
    CrossBenchmarkLeaderboard,
    MacroCell,
    MacroColumn,
    MacroRow,
    load_cross_benchmark_leaderboard,
)
from evaluation.metrics.catalogue import METRICS
from evaluation.metrics.ranking import Standing
from evaluation.models import Run
from webapp.common.errors import InvalidInput
from webapp.common.formatting import NOT_AVAILABLE, decimal, percent, range_of

COLUMNS: Mapping[str, Column] = {**CHOICE, **{column.metric: column for column in (ACCURACY, GROUNDED, *FOUR)}}
WHO = [
    "model", "setting", "metric", "value", "low", "high", "rank", "rank_low", "rank_high", "p_best", "p_top3",
    "range_low", "range_high", "provisional",
]  # fmt: skip


@require_safe
def macro(request: HttpRequest) -> HttpResponse | FileResponse:
    """Template evaluation/leaderboard/macro/macro.html. Address: ?on=SLUG (once for each benchmark) &metric=NAME
    &format=csv|json|jsonl|parquet (this view as a file)."""
    board = load_cross_benchmark_leaderboard(
        request.user, on=request.GET.getlist("on"), metric=request.GET.get("metric") or RATES[0]
    )
    if format := request.GET.get("format", ""):
        if format not in WRITERS:
            raise InvalidInput(
                gettext("This leaderboard is exported as %(formats)s, not as %(format)s.")
                % {"formats": ", ".join(WRITERS), "format": repr(format)},
                field="format",
            )
        return download(f"leaderboard-{board.metric}.{format}", lambda out: WRITERS[format](out, *_file(board)))
    cells = [cell.metric for row in (*board.rows, *board.lacking) for cell in row.cells.values()]
    axis = axis_of(
        [end for one in cells for end in (one.value, one.ci_low, one.ci_high)]
        + [end for row in board.rows for end in row.ends or ()]
    )
    return render(
        request,
        "evaluation/leaderboard/macro/macro.html",
        {
            "board": board,
            "metric": METRICS[board.metric],
            "metrics": [METRICS[name] for name in RATES],
            "axis": axis,
            "choices": [_choice(board, slug, title) for slug, title in _offered(board)],
            "heads": [_head(column, board.metric) for column in board.columns],
            "rows": [_shown(row, board) for row in board.rows],
            "lacking": [_shown(row, board) for row in board.lacking],
            "parquet": writes_parquet(),
        },
    )


def _offered(board: CrossBenchmarkLeaderboard) -> list[tuple[str, str]]:
    return [(benchmark.slug, benchmark.title) for benchmark in board.offered]


def _choice(board: CrossBenchmarkLeaderboard, slug: str, title: str) -> dict[str, Any]:
    """A benchmark that is switched on and off; the last one stays."""
    chosen = [column.benchmark.slug for column in board.columns]
    others = [one for one, _ in _offered(board) if (one in chosen) != (one == slug)]
    terms = urlencode({"on": others, "metric": board.metric}, doseq=True)
    return {"title": title, "slug": slug, "on": slug in chosen, "href": f"?{terms}" if others else ""}


def _head(column: MacroColumn, metric: str) -> dict[str, Any]:
    address = reverse("evaluation:leaderboard", args=[column.benchmark.slug])
    return {"column": column, "href": f"{address}?{urlencode({'sort': metric})}"}


@dataclass(frozen=True)
class ShownCell:
    """A run on one benchmark: its number as on the leaderboard there, and its page. ``runs``: the runs of the
    benchmark, if the model has none with a value.
    """

    cell: Cell | None
    href: str
    runs: str
    odd: bool = False
    stale: bool = False


@dataclass(frozen=True)
class ShownMacro:
    row: MacroRow
    place: Place
    mean: Cell
    cells: Sequence[ShownCell]


def _shown(row: MacroRow, board: CrossBenchmarkLeaderboard) -> ShownMacro:
    mean = _mean(row, board)
    cells = [_cell(row.cells.get(column.benchmark.pk), column, board.metric) for column in board.columns]
    return ShownMacro(row, _place(row.standing), mean, cells)


def _mean(row: MacroRow, board: CrossBenchmarkLeaderboard) -> Cell:
    n = len(board.columns)
    if row.standing is None or row.standing.value is None:
        why = (
            ngettext(
                "No mean of %(count)s benchmark: a run is provisional, too many answers are unread.",
                "No mean of %(count)s benchmarks: a run is provisional, too many answers are unread.",
                n,
            )
            if row.provisional
            else ngettext(
                "No mean of %(count)s benchmark: a benchmark has no run with a value.",
                "No mean of %(count)s benchmarks: a benchmark has no run with a value.",
                n,
            )
        )
        return Cell(NOT_AVAILABLE, why % {"count": decimal(n)})
    spread = range_of(*row.range) if board.metric in ANSWERED else ""
    if row.ends is None:
        message = ngettext(
            "The mean of %(count)s benchmark; no interval", "The mean of %(count)s benchmarks; no interval", n
        ) % {"count": decimal(n)}
        return Cell(percent(row.standing.value), message, value=row.standing.value, range=spread)
    low, high = row.ends
    message = ngettext(
        "The mean of %(count)s benchmark; 95%% %(low)s to %(high)s, cluster bootstrap within each, %(draws)s draws",
        "The mean of %(count)s benchmarks; 95%% %(low)s to %(high)s, cluster bootstrap within each, %(draws)s draws",
        n,
    ) % {"count": decimal(n), "low": percent(low), "high": percent(high), "draws": decimal(board.draws)}
    return Cell(percent(row.standing.value), message, value=row.standing.value, low=low, high=high, range=spread)


def _place(standing: Standing | None) -> Place:
    """Return a rank with the probability of being best; a dash if nothing was drawn, because a rank alone claims too
    much.
    """
    if standing is None or standing.low is None or standing.p_best is None:
        return Place(title=gettext("No rank range, so no rank"))
    return Place(standing.rank, drawn_words(standing), f"{standing.low}–{standing.high}", percent(standing.p_best, 0))


def _cell(found: MacroCell | None, column: MacroColumn, metric: str) -> ShownCell:
    slug = column.benchmark.slug
    if found is None:
        return ShownCell(None, "", reverse("evaluation:runs", args=[slug]))
    addresses = Addresses(slug)
    cell = metric_cell(_Row(found.scoring.run, {metric: found.metric}), COLUMNS[metric], addresses)
    return ShownCell(cell, addresses.run(found.scoring.run_id), "", found.odd, found.stale)


class _Row(NamedTuple):
    """A run with one metric."""

    run: Run
    metrics: Mapping[str, BoardMetric]


def _file(board: CrossBenchmarkLeaderboard) -> tuple[Iterator[dict[str, Any]], list[str]]:
    """The rows of the page in its order, and their columns."""
    ends = ("", "_low", "_high", "_range_low", "_range_high", "_n", "_run", "_stale")
    names = [f"{column.benchmark.slug}{end}" for column in board.columns for end in ends]
    return (_file_row(row, board) for row in (*board.rows, *board.lacking)), [*WHO, *names]


def _file_row(row: MacroRow, board: CrossBenchmarkLeaderboard) -> dict[str, Any]:
    found: dict[str, Any] = {**row.numbers, "metric": board.metric}
    for column in board.columns:
        if cell := row.cells.get(column.benchmark.pk):
            one, slug = cell.metric, column.benchmark.slug
            found |= {slug: one.value, f"{slug}_low": one.ci_low, f"{slug}_high": one.ci_high}
            found |= {f"{slug}_range_low": one.low, f"{slug}_range_high": one.high}
            found |= {f"{slug}_n": one.n, f"{slug}_run": cell.scoring.run_id, f"{slug}_stale": cell.stale}
    return found
