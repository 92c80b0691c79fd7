"""``manage.py score SLUG``: compute the scores and metrics of every run."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations

from evaluation.common.extraction.read import read_extraction
from evaluation.management.output import answering_plainly, settings_line, the_benchmark
from evaluation.metrics.extraction_words import report_lines
from evaluation.models import RolloutGroup
from evaluation.scoring.settings import change_settings, settings_of, settings_with
from evaluation.scoring.write import score_benchmark


class Command(BaseCommand):
    help = "Score all runs of a benchmark with its metric settings, or with others for this call."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--set", action="append", default=[], metavar="NAME=VALUE",
            help="a metric setting, for this call only; can be repeated",
        )  # fmt: skip
        parser.add_argument("--save", action="store_true", help="store the settings of --set with the benchmark")

    @answering_plainly
    @no_translations
    def handle(self, *, slug: str, **options: Any) -> None:
        benchmark = the_benchmark(slug)
        values = dict(_pair(text) for text in options["set"])
        if options["save"]:
            change_settings(actor=None, benchmark=benchmark, values=values)
        settings = settings_with(benchmark, values)
        scorings = score_benchmark(actor=None, benchmark=benchmark, settings=settings)
        groups = RolloutGroup.objects.filter(benchmark=benchmark).count()
        if groups:
            self.stdout.write(f"Rewards of {groups} rollout group{'s' * (groups != 1)}")
        if not scorings and not groups:
            raise CommandError(f"{benchmark.title} has no runs to score. Import some with import_runs.")
        reports = {one.run.pk: one.report for one in read_extraction(benchmark)}
        for scoring in scorings:
            failed = f", {scoring.failed_n} failed" if scoring.failed_n else ""
            self.stdout.write(f"{scoring.run}: {scoring.trajectories_n} of {scoring.samples_n} samples{failed}")
            report = reports[scoring.run_id]
            for line in report_lines(report, settings) if report else ():
                self.stdout.write(f"  {line}")
        self.stdout.write(f"Settings: {settings_line(settings)}.")
        if settings != settings_of(benchmark):
            self.stdout.write(
                f"{benchmark.title} has other stored settings, so pages show these scores as stale. Store these with "
                "--save, or score again without --set."
            )


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"--set {text}: write it as name=value, for example ioa_threshold=0.3.")
    return name.strip(), value.strip()
