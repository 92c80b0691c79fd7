"""``manage.py export_benchmark SLUG``: a benchmark in one of the formats; native: with all that models did."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.exporters import EXPORTERS
from annotation.models import Benchmark
from evaluation.actions.export_benchmark import export_as
from evaluation.management.output import the_benchmark


class Command(BaseCommand):
    help = "Export a benchmark; the native format holds everything and comes back byte for byte."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--format", choices=sorted(EXPORTERS), default="native")
        parser.add_argument("--output", type=Path, help="a file; otherwise standard output")

    def handle(self, *, slug: str, format: str, output: Path | None, **options: Any) -> None:
        benchmark: Benchmark = the_benchmark(slug)
        out: IO[bytes]
        if output is None:
            out = sys.stdout.buffer
            export_as(format, benchmark, out)
            return
        try:
            with output.open("wb") as out:
                count = export_as(format, benchmark, out)
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror}.") from error
        self.stdout.write(f"{count} rows written to {output}.")
