"""``manage.py lineage list|show SLUG``: the checkpoints of trainings on a benchmark."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Benchmark
from evaluation.exporters.tables import WRITERS
from evaluation.lineages.present.curves import label_of, value_words
from evaluation.lineages.present.export import COLUMNS, value_rows
from evaluation.lineages.present.page import columns_of, separation_words
from evaluation.lineages.read import load_series
from evaluation.management.output import answering_plainly, the_benchmark


class Command(BaseCommand):
    help = "List the lineages of a benchmark, or print the numbers of one over its steps."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["list", "show"])
        parser.add_argument("slug")
        parser.add_argument("name", nargs="?", default="", help="of the lineage to show")
        parser.add_argument("--setting", default="", help="where runs share a step")
        parser.add_argument("--query", default="", help="only the samples of a query; see docs/query.md")
        parser.add_argument("--format", choices=["table", "json", "csv"], default="table")

    @answering_plainly
    def handle(self, *, action: str, slug: str, name: str, format: str, **options: Any) -> None:
        benchmark = the_benchmark(slug)
        if action == "list":
            self._list(benchmark, format)
            return
        lineage = benchmark.lineages.select_related("benchmark").filter(name=name).first()
        if lineage is None:
            names = ", ".join(benchmark.lineages.values_list("name", flat=True)) or "none"
            raise CommandError(f"{slug} has no lineage {name!r}. It has: {names}.")
        series = load_series(lineage, setting=options["setting"], query=options["query"])
        if format != "table":
            WRITERS[format](sys.stdout.buffer, value_rows(series), COLUMNS)
            return
        for point in series.points:
            self.stdout.write(f"step {point.step}: {point.run}{' (stale)' if point.stale else ''}")
            for metric in columns_of(series):
                self.stdout.write(f"  {label_of(metric)}: {value_words(point, metric)}")
        for words in separation_words(series):
            if words:
                self.stdout.write(f"{words.rstrip('.')}.")

    def _list(self, benchmark: Benchmark, format: str) -> None:
        with_steps: Any = benchmark.lineages.with_steps().values()
        rows = [
            {"name": one["name"], "runs": one["runs_n"], "first_step": one["first_step"], "last_step": one["last_step"]}
            for one in with_steps
        ]
        if format == "table":
            for row in rows:
                steps = f", steps {row['first_step']} to {row['last_step']}" if row["runs"] else ""
                self.stdout.write(f"{row['name']}: {row['runs']} runs{steps}")
        elif format == "json":
            self.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2))
        else:
            WRITERS[format](sys.stdout.buffer, rows, ("name", "runs", "first_step", "last_step"))
