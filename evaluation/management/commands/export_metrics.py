"""``manage.py export_metrics SLUG``: tidy rows of metrics, samples or comparisons."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.exporters.interface import MissingLibrary
from evaluation.actions.export_rows import EXPORTS
from evaluation.exporters.tables import WRITERS
from evaluation.management.output import the_benchmark


class Command(BaseCommand):
    help = "Export metric rows, per-trajectory rows or comparisons of runs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--format", choices=sorted(WRITERS), default="json")
        parser.add_argument("--rows", choices=sorted(EXPORTS), default="metrics")
        parser.add_argument("--output", type=Path, help="a file; otherwise standard output")

    def handle(self, *, slug: str, format: str, rows: str, output: Path | None, **options: Any) -> None:
        export = EXPORTS[rows]
        benchmark = the_benchmark(slug)
        try:
            if output is None:
                WRITERS[format](sys.stdout.buffer, export.rows(benchmark), export.columns)
                return
            with output.open("wb") as out:
                count = WRITERS[format](out, export.rows(benchmark), export.columns)
        except (MissingLibrary, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{count} rows written to {output}.")
