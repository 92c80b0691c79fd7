"""``manage.py interventions SLUG``: the intervention table of a paper, or all arms of the lab of one run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations

from evaluation.exporters.documents import DOCUMENTS
from evaluation.exporters.tables import WRITERS
from evaluation.lab.present.export import COLUMNS as ARM_COLUMNS
from evaluation.lab.present.export import effect_rows, lab_document
from evaluation.lab.read import lab_of
from evaluation.management.experiments import run_of
from evaluation.management.output import answering_plainly, the_benchmark, written_to
from evaluation.models import Experiment, Run
from evaluation.runner.arms.catalogue import Estimand
from evaluation.runs.present.interventions import COLUMNS, intervention_document, intervention_rows

FORMATS = (*DOCUMENTS, "csv", "json")


class Command(BaseCommand):
    help = "Print the table of interventions: accuracy of each run without and under each condition, with tests."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--run", type=int, action="append", metavar="ID", help="default: all runs with effects")
        which.add_argument("--experiment", type=int, metavar="ID", help="the run that an experiment repeats")
        parser.add_argument("--by", default="", metavar="FACET", help="a part of the table for each of its values")
        parser.add_argument(
            "--arms", choices=list(Estimand), help="all arms of the run against sham, as on the page of its lab"
        )
        parser.add_argument("--format", choices=FORMATS, default="md")
        parser.add_argument("--output", type=Path, metavar="FILE")

    @answering_plainly
    @no_translations
    def handle(self, *, slug: str, by: str, arms: str | None, format: str, output: Path | None, **options: Any) -> None:
        benchmark = the_benchmark(slug)
        wanted = options["run"] or []
        if options["experiment"]:
            made = Experiment.objects.filter(benchmark=benchmark, pk=options["experiment"]).first()
            if made is None or made.source_id is None:
                raise CommandError(f"{slug} has no experiment {options['experiment']} that repeats a run.")
            wanted = [made.source_id]
        runs = [run_of(benchmark, pk) for pk in wanted] or list(
            Run.objects.of(benchmark).select_related("model", "benchmark", "scoring")
        )
        if arms:
            self._arms(runs, Estimand(arms), format, output)
            return
        rows = list(intervention_rows(benchmark, runs, by))
        if not rows:
            raise CommandError("No run has an intervention yet. Run arms, or import outcomes under a condition.")
        with written_to(output) as out:
            if format in DOCUMENTS:
                DOCUMENTS[format](out, intervention_document(benchmark, runs, by))
            else:
                WRITERS[format](out, rows, COLUMNS)

    def _arms(self, runs: list[Run], estimand: Estimand, format: str, output: Path | None) -> None:
        if len(runs) != 1:
            raise CommandError("Name one run with --run, or an experiment with --experiment.")
        found = lab_of(runs[0], estimand)
        if found is None:
            raise CommandError(f"{runs[0]} has no sham arm with the estimand {estimand}.")
        with written_to(output) as out:
            if format in DOCUMENTS:
                DOCUMENTS[format](out, lab_document(runs[0], found))
            else:
                WRITERS[format](out, effect_rows(runs[0], found), ARM_COLUMNS)
