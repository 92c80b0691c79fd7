"""``manage.py diagnostics SLUG``: why plans fail, what calling tools did, and what goes with what over runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations

from evaluation.diagnostics.present.page import agreement_words, correlation_words
from evaluation.diagnostics.read.analysis import Diagnostics, chosen_runs, diagnose, diagnosed_runs
from evaluation.diagnostics.read.tables import TABLES, document
from evaluation.exporters.tables import WRITERS
from evaluation.management.output import answering_plainly, the_benchmark, written_to
from evaluation.metrics.catalogue import METRICS
from evaluation.store.snapshot import Snapshot

DIGITS = 3
ENDS = ("_n", "_ci_low", "_ci_high")
HIDDEN = ("source",)
"""Columns that are too long for a table of text."""


class Command(BaseCommand):
    help = "Print the diagnostics of plans and tool calls: in full, or one table of them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--run", type=int, action="append", metavar="ID", help="default: all scored runs")
        parser.add_argument("--by", default="", metavar="FACET", help="of the table segments; default: segment")
        parser.add_argument("--base", type=int, metavar="ID", help="the run without calls; default: of the same model")
        parser.add_argument("--table", choices=list(TABLES), help="default: all")
        parser.add_argument("--format", choices=["table", "json", "csv"], default="table")
        parser.add_argument("--output", type=Path, metavar="FILE")

    @answering_plainly
    @no_translations
    def handle(self, *, slug: str, table: str | None, format: str, output: Path | None, **options: Any) -> None:
        benchmark = the_benchmark(slug)
        runs = diagnosed_runs(benchmark)
        chosen = chosen_runs([str(pk) for pk in options["run"] or []], runs)
        base = "" if options["base"] is None else str(options["base"])
        snapshot = Snapshot(benchmark, runs, None)
        found = diagnose(snapshot, runs, chosen, by=options["by"], base=base)
        if format == "csv" and table is None:
            raise CommandError("A CSV file holds one table. Name it with --table.")
        with written_to(output) as out:
            if format == "table":
                out.write("".join(f"{line}\n" for line in _lines(found, table)).encode())
            elif table is None:
                out.write(json.dumps(document(found), ensure_ascii=False, indent=2).encode() + b"\n")
            else:
                WRITERS[format](out, TABLES[table].rows(found), TABLES[table].columns)


def _lines(found: Diagnostics, table: str | None) -> list[str]:
    """The tables as text, each under its title, with its notes."""
    lines: list[str] = []
    for name in [table] if table else TABLES:
        rows = list(TABLES[name].rows(found))
        lines += ["", str(TABLES[name].title)] if lines else [str(TABLES[name].title)]
        lines += _table(rows, [one for one in TABLES[name].columns if one not in HIDDEN]) if rows else ["  none"]
        if name == "segments" and found.heat:
            lines.append(agreement_words(found.heat.agreement))
        if name == "correlations":
            for row, one in zip(rows, found.correlations, strict=True):
                lines.append(f"{METRICS[row['first']].label}, {METRICS[row['second']].label}: {correlation_words(one)}")
    return lines


def _table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> list[str]:
    """A value, its interval and its n are one column. Columns without a value in any row are left out."""
    whole = [name for name in columns if not any(name == f"{one}{end}" for one in columns for end in ENDS)]
    kept = [name for name in whole if any(row.get(name) is not None for row in rows)]
    cells = [kept, *([_cell(row, name) for name in kept] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(f"{cell:<{w}}" for cell, w in zip(line, widths, strict=True)).rstrip() for line in cells]


def _cell(row: Mapping[str, Any], name: str) -> str:
    """``0.857 [0.436 to 0.970] n = 6``."""
    low, high, n = (row.get(f"{name}{end}") for end in ("_ci_low", "_ci_high", "_n"))
    said = [_number(row.get(name))]
    if low is not None and high is not None:
        said.append(f"[{_number(low)} to {_number(high)}]")
    if n:
        said.append(f"n = {n}")
    return " ".join(said)


def _number(value: Any) -> str:
    if value is None:
        return "n/a"
    return f"{value:.{DIGITS}f}" if isinstance(value, float) else str(value)
