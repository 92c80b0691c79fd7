"""``manage.py import_runs SLUG PATH``: what models did on a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.models import Benchmark
from evaluation.actions.import_runs import import_runs
from evaluation.actions.metric_settings import change_settings
from evaluation.importers import IMPORTERS, detect_format
from evaluation.management.output import answering_plainly, chosen_format, print_counts, the_benchmark

COUNTED = (
    "trajectories", "interventions", "judgements", "rollout_groups", "new", "changed", "unchanged", "repeated",
    "failed",
)  # fmt: skip


class Command(BaseCommand):
    help = "Import trajectories, interventions, judgements and rollout groups of one or several models."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("path", type=Path)
        parser.add_argument("--format", choices=sorted(IMPORTERS), help="recognised by content when left out")
        parser.add_argument("--model", default="", help="name of the model where the file has none")
        parser.add_argument("--setting", default="", help="base, code, interface or any other text")
        parser.add_argument("--coordinates", default="", help="pixel, norm1, norm1000 or WxH of the model's input")

    @answering_plainly
    def handle(self, *, slug: str, path: Path, **options: Any) -> None:
        benchmark: Benchmark = the_benchmark(slug)
        format = chosen_format(self, options["format"], path, detect_format)
        _, result = import_runs(
            actor=None,
            benchmark=benchmark,
            path=path,
            format=format,
            model=options["model"],
            setting=options["setting"],
            coordinates=options["coordinates"],
        )
        if result.settings:
            change_settings(actor=None, benchmark=benchmark, values=result.settings)
        print_counts(self, result.counts, result.issues, COUNTED)
        if result.summary and result.summary.all_failed:
            self.stdout.write("Every trajectory is an error: the run is kept as failed, not as 0 % right.")
