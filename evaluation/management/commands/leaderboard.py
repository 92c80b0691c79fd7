"""``manage.py leaderboard SLUG``: the leaderboard as a table, JSON or CSV."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.models import Benchmark
from evaluation.actions.export_rows import EXPORTS, board_metric_rows, metric_rows
from evaluation.actions.read_board import BoardRow, read_board, slices_of
from evaluation.actions.read_slices import QUERY
from evaluation.exporters.tables import WRITERS
from evaluation.management.output import the_benchmark
from evaluation.metrics.settings_words import counting_words

SHOWN = {
    "accuracy": "Acc",
    "tool_ratio": "Zooms",
    "grounded_score": "GS",
    "valid_grounded_reasoning": "G+A+",
    "ground_success_answer_failure": "G+A-",
    "ungrounded_correct_answer": "G-A+",
    "dual_failure": "G-A-",
    "calls_mean": "Calls",
    "tool_efficiency": "Eff",
    "exact_match": "EM",
    "ate_visual": "Noise",
    "sufficiency": "Suff",
}
UNCERTAIN = {"undecided": "Undec", "unread": "Unread", "missing_answer": "NoAns"}
"""Answers that are neither correct nor incorrect: how many no rule decides, cannot be read, or are not there."""
ENDS = {"accuracy_low": "Low", "accuracy_high": "High"}
"""What undecided answers leave open of accuracy."""
PLAIN = {"calls_mean"}
"""Numbers, not fractions shown as percent."""


class Command(BaseCommand):
    help = "Print the leaderboard, whole, by facet or on a query."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        sliced = parser.add_mutually_exclusive_group()
        sliced.add_argument("--by", default="", help="a facet: one table for each of its values")
        sliced.add_argument("--query", default="", help="the board on what a query lists; see docs/query.md")
        parser.add_argument("--format", choices=["table", "json", "csv"], default="table")

    def handle(self, *, slug: str, by: str, query: str, format: str, **options: Any) -> None:
        benchmark: Benchmark = the_benchmark(slug)
        if format != "table":
            rows = metric_rows(benchmark, slice_by=by)
            if query:
                rows = board_metric_rows(benchmark, read_board(benchmark, slice_by=QUERY, slice=query))
            WRITERS[format](sys.stdout.buffer, rows, EXPORTS["metrics"].columns)
            return
        if query:
            self._table(benchmark, QUERY, query)
            return
        for value in slices_of(benchmark, by) if by else [""]:
            if by:
                self.stdout.write(f"\n{by}: {value}")
            self._table(benchmark, by, value)

    def _table(self, benchmark: Benchmark, by: str, value: str) -> None:
        board = read_board(benchmark, slice_by=by, slice=value)
        width = max([len(str(row.run)) for row in board.rows()] + [5])
        self.stdout.write(
            f"{'Model':<{width}} {'n':>6} "
            + " ".join(f"{head:>6}" for head in (*UNCERTAIN.values(), *ENDS.values(), *SHOWN.values()))
            + "  95 % of G+A+"
        )
        for row in board.rows():
            counts = (str(row.counts.get(name, 0)) for name in UNCERTAIN)
            ends = (_cell(row, name) for name in ENDS)
            cells = " ".join(f"{text:>6}" for text in (*counts, *ends, *(_cell(row, name) for name in SHOWN)))
            marks = "  provisional" * row.provisional + "  stale" * row.stale
            self.stdout.write(f"{row.run!s:<{width}} {_count(row):>6} {cells}  {_interval(row)}{marks}")
        for row in board.unscored:
            self.stdout.write(f"{row.run!s:<{width}} not scored yet")
        if board.reference:
            self.stdout.write(counting_words(board.settings))
            self.stdout.write("Low and High: accuracy with undecided answers incorrect, and correct.")
        if any(row.provisional for row in board.rows()):
            self.stdout.write(
                f"Provisional: more than {100 * board.settings.unread_alarm:g} % of answers are unread. Ranges stand "
                "in place of the rates that they could change; the row is sorted by the lower end and has no rank."
            )


def _count(row: BoardRow) -> str:
    return "failed" if row.failed else str(row.scoring.trajectories_n if row.scoring else 0)


def _cell(row: BoardRow, name: str) -> str:
    value = row.value(name)
    if value is None:
        return "n/a"
    metric = row.metrics[name]
    if row.provisional and metric.low is not None and metric.high is not None:
        return f"{100 * metric.low:.0f}–{100 * metric.high:.0f}"
    return f"{value:.2f}" if name in PLAIN else f"{100 * value:.1f}"


def _interval(row: BoardRow) -> str:
    metric = row.metrics.get("valid_grounded_reasoning")
    if metric is None or metric.ci_low is None or metric.ci_high is None:
        return "n/a"
    return f"{100 * metric.ci_low:.1f} .. {100 * metric.ci_high:.1f} (n = {metric.n}, {metric.ci_method})"
