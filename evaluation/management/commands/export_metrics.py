"""``manage.py export_metrics SLUG``: tidy rows of metrics, samples or comparisons."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser, no_translations

from evaluation.common.exports import EXPORTS
from evaluation.exporters.tables import WRITERS
from evaluation.management.output import answering_plainly, the_benchmark, written_to


class Command(BaseCommand):
    help = "Export metric rows, per-trajectory rows or comparisons of runs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--format", choices=sorted(WRITERS), default="json")
        parser.add_argument("--rows", choices=sorted(EXPORTS), default="metrics")
        parser.add_argument("--output", type=Path, help="a file; otherwise standard output")

    @answering_plainly
    @no_translations
    def handle(self, *, slug: str, format: str, rows: str, output: Path | None, **options: Any) -> None:
        export = EXPORTS[rows]
        benchmark = the_benchmark(slug)
        # Closed here: a reader that has read enough (`| head`) may end this in the middle of a query.
        with closing(row for row in export.rows(benchmark)) as given, written_to(output) as out:
            count = WRITERS[format](out, given, export.columns)
        if output:
            self.stdout.write(f"{count} rows written to {output}.")
