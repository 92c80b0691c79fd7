"""The rows of the leaderboard as the page draws them: texts, links and places on an axis. No number is made here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from evaluation.actions.board_rows import Board, BoardRow
from evaluation.actions.read_published import PublishedRow
from evaluation.views.leaderboard_cells import Axis, Cell, ShownPublished, ShownRow
from evaluation.views.leaderboard_columns import ACCURACY, FLIPS, GROUNDED, PLAIN, QUADRANTS, Column
from evaluation.views.leaderboard_links import Addresses
from webapp.common.wording import NOT_AVAILABLE, decimal, p_value, percent, percentage_points

SIGNIFICANT = 0.05
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def axis_of(ends: Iterable[float | None], *, least: float = 0.2, step: float = 0.1) -> Axis:
    """The shortest axis in whole steps that holds all ends; shares from 0 to 1 when there are none."""
    known = [end for end in ends if end is not None]
    if not known:
        return Axis(0, 1)
    low, high = math.floor(min(known) / step + 1e-9) * step, math.ceil(max(known) / step - 1e-9) * step
    return Axis(low, max(high, low + least))


def accuracy_axis(board: Board) -> Axis:
    metrics = [row.metrics.get("accuracy") for row in board.rows()]
    return axis_of(end for m in metrics if m for end in (m.value, m.ci_low, m.ci_high))


def difference_axis(board: Board) -> Axis:
    pairs = [row.against for row in board.rows() if row.against]
    return axis_of([0.0, *(end for d in pairs for end in (d.difference, d.low, d.high))])


def shown_rows(board: Board, addresses: Addresses, groups: Iterable[str], *, ranked: bool) -> list[ShownRow]:
    columns = [column for column in PLAIN if column.group in set(groups)]
    rows = board.ranked if ranked else board.baselines
    letters = LETTERS if ranked and len(rows) <= len(LETTERS) else ""
    return [
        _shown(row, letters[place : place + 1], board, addresses, columns) for place, row in enumerate(rows)
    ]  # fmt: skip


def _shown(row: BoardRow, letter: str, board: Board, addresses: Addresses, columns: Iterable[Column]) -> ShownRow:
    run = row.run.pk
    gained, lost = _flips(row, board, addresses)
    return ShownRow(
        row=row,
        letter=letter,
        href=addresses.run(run),
        n=_count(row, "trajectories", {"scored": "yes"}, addresses),
        accuracy=_cell(row, ACCURACY, addresses),
        grounded=_cell(row, GROUNDED, addresses),
        quadrants=[_cell(row, Column(m, name, {"quadrant": name}), addresses) for m, name in QUADRANTS.items()],
        cells=list(_with_borders(columns, (_cell(row, column, addresses) for column in columns))),
        hidden_counts=hidden_counts(row, addresses),
        gained=gained,
        lost=lost,
        is_reference=row is board.reference or bool(board.reference and board.reference.run.pk == run),
    )


def hidden_counts(row: BoardRow, addresses: Addresses) -> list[Cell]:
    """``43 missing``, ``2 failed`` ...: only those that are not nought."""
    counts = row.counts
    found = []
    if counts.get("missing"):
        n = counts["missing"]
        found.append(Cell(f"{decimal(n)} missing", "samples without a trajectory", addresses.missing(row.run.pk), n))
    for name, terms, meaning in (
        ("failed", {"failed": "yes", "scored": "yes"}, "trajectories that are error records"),
        ("unparsed", {"unparsed": "yes"}, "answers no letter could be read from: wrong"),
        ("undecided", {"undecided": "yes"}, "answers that only a judge can decide"),
    ):
        if counts.get(name):
            cell = _count(row, name, terms, addresses)
            found.append(Cell(f"{cell.text} {name}", meaning, cell.href, cell.count))
    return found


def _count(row: BoardRow, name: str, terms: Mapping[str, str], addresses: Addresses) -> Cell:
    n = row.counts.get(name)
    if n is None:
        return Cell(NOT_AVAILABLE)
    return Cell(decimal(n), href=addresses.trajectories(row.run.pk, **terms) if n else "", count=n)


def _flips(row: BoardRow, board: Board, addresses: Addresses) -> tuple[Cell | None, Cell | None]:
    """What only this row has right, and what only the reference row has."""
    if row.against is None or board.reference is None:
        return None, None
    run, reference = row.run.pk, board.reference.run.pk
    gained, lost = row.against.row_only, row.against.reference_only
    return (
        Cell(f"+{gained}", "right here, wrong in the reference",
             addresses.trajectories(run, correct="yes", wrong_in=reference), gained),
        Cell(f"\N{MINUS SIGN}{lost}", "wrong here, right in the reference",
             addresses.trajectories(reference, correct="yes", wrong_in=run), lost),
    )  # fmt: skip


def _with_borders(columns: Iterable[Column], cells: Iterable[Cell]) -> Iterator[Cell]:
    """A vertical hairline where a group begins."""
    before = "grounding"
    for column, cell in zip(columns, cells, strict=True):
        group = column.group
        border = " grp" if group != before else ""
        yield Cell(**{**vars(cell), "classes": f"g g-{group}{border}"})
        before = group


def _cell(row: BoardRow, column: Column, addresses: Addresses) -> Cell:
    metric = row.metrics.get(column.metric)
    if metric is None or metric.value is None:
        return Cell(NOT_AVAILABLE, title=f"{column.definition} Undefined here: nothing to count.")
    shown: dict[str, Any] = {"value": metric.value, "low": metric.ci_low, "high": metric.ci_high}
    if column.terms and metric.numerator is not None:
        shown["count"] = round(metric.numerator)
        shown["href"] = addresses.trajectories(row.run.pk, **column.terms) if shown["count"] else ""
    if column.metric in FLIPS:
        shown["star"] = metric.p_value is not None and metric.p_value < SIGNIFICANT
    return Cell(written(column.unit, metric.value), title=_basis(column, metric), **shown)


def written(unit: str, value: float) -> str:
    """A value in its unit: percent and percentage points with one decimal."""
    if unit == "share":
        return percent(value)
    if unit == "pp":
        return percentage_points(value)
    if unit == "usd":
        return f"${value:.4f}" if 0 < value < 0.01 else f"${value:.3f}"
    return decimal(value, 1)


def _basis(column: Column, metric: Any) -> str:
    """What a number rests on: counts, interval, method, test."""
    counted = column.terms and metric.numerator is not None
    parts = [f"{decimal(metric.numerator)} of {decimal(metric.n)}" if counted else f"n = {decimal(metric.n)}"]
    if metric.ci_low is not None and metric.ci_high is not None:
        low, high = written(column.unit, metric.ci_low), written(column.unit, metric.ci_high)
        parts.append(f"95 % interval {low} to {high} ({metric.ci_method})")
    if column.metric in FLIPS:
        parts.append(f"lost {metric.detail.get('lost')}, gained {metric.detail.get('gained')}")
        parts.append(f"exact McNemar p {p_value(metric.p_value)}")
    return "; ".join(parts)


def shown_published(rows: Iterable[PublishedRow], groups: Iterable[str]) -> list[ShownPublished]:
    columns = [column for column in PLAIN if column.group in set(groups)]
    return [
        ShownPublished(
            row,
            _printed(row, ACCURACY if "accuracy" in row.values else Column("pass_rate", "Accuracy")),
            _printed(row, GROUNDED),
            [_printed(row, Column(metric, name)) for metric, name in QUADRANTS.items()],
            list(_with_borders(columns, (_printed(row, column) for column in columns))),
        )
        for row in rows
    ]


def _printed(row: PublishedRow, column: Column) -> Cell:
    """A value of a paper with the digits it was printed with."""
    value = row.values.get(column.metric)
    if value is None:
        return Cell("")
    whole = "integer" in value.unit and not value.pooled
    text = percent(value.value, 0) if column.unit == "share" and whole else written(column.unit, value.value)
    star = value.p_value is not None and value.p_value < SIGNIFICANT
    title = f"Table {value.table}" + (f", n = {value.n}" if value.n else "") + (", pooled" if value.pooled else "")
    return Cell(text, title, value=value.value, star=star)
