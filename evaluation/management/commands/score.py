"""``manage.py score SLUG``: compute the scores and metrics of every run."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.actions.metric_settings import change_settings
from evaluation.actions.score_run import score_benchmark
from evaluation.management.output import answering_plainly, the_benchmark


class Command(BaseCommand):
    help = "Score all runs of a benchmark; settings given with --set are stored with the results."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of METRICS 8")

    @answering_plainly
    def handle(self, *, slug: str, **options: Any) -> None:
        benchmark = the_benchmark(slug)
        values = dict(_pair(text) for text in options["set"])
        if values:
            change_settings(actor=None, benchmark=benchmark, values=values)
        scorings = score_benchmark(actor=None, benchmark=benchmark)
        if not scorings:
            raise CommandError(f"{benchmark.title} has no runs to score. Import some with import_runs.")
        for scoring in scorings:
            failed = f", {scoring.failed_n} failed" if scoring.failed_n else ""
            self.stdout.write(f"{scoring.run}: {scoring.trajectories_n} of {scoring.samples_n} samples{failed}")


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"--set {text}: write it as name=value, for example ioa_threshold=0.3.")
    return name.strip(), value.strip()
