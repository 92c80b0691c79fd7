"""``manage.py leaderboard SLUG``: the leaderboard as a table, JSON or CSV."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser, no_translations

from annotation.models import Benchmark
from evaluation.common.exports import EXPORTS, metric_rows
from evaluation.common.slices import QUERY
from evaluation.exporters.tables import WRITERS
from evaluation.leaderboard.read.board import LeaderboardRow, load_leaderboard, slices_of
from evaluation.leaderboard.read.rows import board_metric_rows
from evaluation.management.output import the_benchmark
from evaluation.metrics.catalogue import METRICS, POINTS
from evaluation.metrics.settings_help import counting_words
from evaluation.metrics.slices import COUNTED_BY

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
"""The limits of accuracy that undecided answers allow."""
PLAIN = {"calls_mean"}
"""Numbers, not fractions shown as percent."""


class Command(BaseCommand):
    help = "Print the leaderboard: in full, by facet or for a query."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        sliced = parser.add_mutually_exclusive_group()
        sliced.add_argument("--by", default="", help="a facet: one table for each of its values")
        sliced.add_argument("--query", default="", help="only the trajectories of a query; see docs/query.md")
        parser.add_argument("--format", choices=["table", "json", "csv"], default="table")

    @no_translations
    def handle(self, *, slug: str, by: str, query: str, format: str, **options: Any) -> None:
        benchmark: Benchmark = the_benchmark(slug)
        if format != "table":
            rows = metric_rows(benchmark, slice_by=by)
            if query:
                rows = board_metric_rows(benchmark, load_leaderboard(benchmark, slice_by=QUERY, slice=query))
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
        board = load_leaderboard(benchmark, slice_by=by, slice=value)
        rows = [row for row in board.rows() if not row.by_people] + board.people
        width = max([len(_name(row)) for row in rows] + [5])
        lines = [[*UNCERTAIN.values(), *ENDS.values(), *SHOWN.values()], *map(_cells, rows)]
        widths = [max(6, *map(len, column)) for column in zip(*lines, strict=True)]
        heads, *cells = (" ".join(f"{text:>{w}}" for text, w in zip(line, widths, strict=True)) for line in lines)
        self.stdout.write(f"{'Model':<{width}} {'n':>6} {heads}  95% of G+A+")
        for row, line in zip(rows, cells, strict=True):
            marks = "  provisional" * row.provisional + "  stale" * row.stale
            self.stdout.write(f"{_name(row):<{width}} {_count(row):>6} {line}  {_interval(row)}{marks}")
        for row in board.people:
            self.stdout.write(_people_line(row))
        for row in board.unscored:
            self.stdout.write(f"{row.run!s:<{width}} not scored yet")
        if board.reference:
            self.stdout.write(counting_words(board.settings))
            self.stdout.write(
                "Low and High: accuracy with undecided answers incorrect, and correct. In parentheses: the lowest and "
                "the highest value that undecided answers allow."
            )
        if any(row.provisional for row in board.rows()):
            self.stdout.write(
                f"Provisional: more than {100 * board.settings.unread_alarm:g}% of answers are unread. Affected "
                "rates are ranges. The row is sorted by the lower end and has no rank."
            )


def _name(row: LeaderboardRow) -> str:
    return f"{row.run}, familiarity {row.familiarity}" if row.familiarity else str(row.run)


def _people_line(row: LeaderboardRow) -> str:
    """``People, study 1: accuracy 81.2%, n = 60 samples, k = 3 people (78.3 to 83.3), 95% interval 72.0 to 88.1``."""
    accuracy = row.metrics.get("accuracy")
    if accuracy is None or accuracy.value is None:
        return f"{_name(row)}: no answers"
    detail = accuracy.detail or {}
    parts = [f"accuracy {100 * accuracy.value:.1f}%", f"n = {accuracy.n} samples", f"k = {detail['people']} people"]
    if detail.get("person_low") is not None:
        parts[-1] += f" ({100 * detail['person_low']:.1f} to {100 * detail['person_high']:.1f})"
    interval = "no interval"
    if accuracy.ci_low is not None and accuracy.ci_high is not None:
        interval = f"95% interval {100 * accuracy.ci_low:.1f} to {100 * accuracy.ci_high:.1f} ({accuracy.ci_method})"
    return f"{_name(row)}: {', '.join(parts)}, {interval}"


def _count(row: LeaderboardRow) -> str:
    if row.by_people:
        return str(row.metrics[COUNTED_BY].n) if COUNTED_BY in row.metrics else "0"
    return "failed" if row.failed else str(row.scoring.trajectories_n if row.scoring else 0)


def _cells(row: LeaderboardRow) -> list[str]:
    counts = (str(row.counts.get(name, 0)) for name in UNCERTAIN)
    return [*counts, *(_cell(row, name) for name in (*ENDS, *SHOWN))]


def _cell(row: LeaderboardRow, name: str) -> str:
    """Return the value with the range that undecided answers allow, unless the range has separate columns; for a
    provisional row only the range.
    """
    value = row.value(name)
    if value is None:
        return "n/a"
    written = f"{value:.2f}" if name in PLAIN else f"{100 * value:.1f}"
    metric = row.metrics[name]
    if metric.low is None or metric.high is None:
        return written
    if row.provisional:
        return _range(name, metric.low, metric.high, 0)
    is_open = metric.high - metric.low > 1e-9 and name != "accuracy"
    return f"{written} ({_range(name, metric.low, metric.high, 1)})" if is_open else written


def _range(name: str, low: float, high: float, digits: int) -> str:
    if METRICS[name].unit == POINTS:
        return f"{100 * low:+.{digits}f} to {100 * high:+.{digits}f}"
    return f"{100 * low:.{digits}f}–{100 * high:.{digits}f}"


def _interval(row: LeaderboardRow) -> str:
    metric = row.metrics.get("valid_grounded_reasoning")
    if metric is None or metric.ci_low is None or metric.ci_high is None:
        return "n/a"
    return f"{100 * metric.ci_low:.1f} .. {100 * metric.ci_high:.1f} (n = {metric.n}, {metric.ci_method})"
