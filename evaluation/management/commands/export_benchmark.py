"""``manage.py export_benchmark SLUG``: a benchmark in one of the formats; native: with the results of models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser, no_translations

from annotation.exporters import EXPORTERS
from annotation.exporters.parts import IN_NO_FORMAT, words_of
from annotation.models import Benchmark
from annotation.workflow import ExportStates
from evaluation.exports.read.formats import export_as
from evaluation.management.output import answering_plainly, the_benchmark, written_to


class Command(BaseCommand):
    help = (
        "Export the accepted samples of a benchmark, or all samples. The native format also contains the results of "
        "models on them; importing and exporting it gives the same bytes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--format", choices=sorted(EXPORTERS), default="native")
        parser.add_argument(
            "--states",
            type=ExportStates,
            choices=list(ExportStates),
            default=ExportStates.ACCEPTED,
            help="accepted samples only (default), or all samples",
        )
        parser.add_argument("--output", type=Path, help="a file; otherwise standard output")

    @answering_plainly
    @no_translations
    def handle(self, *, slug: str, format: str, output: Path | None, states: ExportStates, **options: Any) -> None:
        benchmark: Benchmark = the_benchmark(slug)
        with written_to(output) as out:
            count = export_as(format, benchmark, out, states)
        if output:
            which = "accepted samples" if states is ExportStates.ACCEPTED else "all samples"
            without = ", ".join(words_of((*EXPORTERS[format].cannot_hold, *IN_NO_FORMAT)))
            self.stdout.write(f"{count} rows of {which} written to {output}. Not in the file: {without}.")
