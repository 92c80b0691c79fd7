"""``manage.py study create|list|show|pause|resume|close|export``: human studies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.evidence import Condition
from evaluation.management.output import answering_plainly, the_benchmark, written_to
from evaluation.models import Experiment
from evaluation.studies.api import progress_row
from evaluation.studies.forms import INVITED
from evaluation.studies.present import state_words, strata_shown
from evaluation.studies.read.answers import answer_lines
from evaluation.studies.read.draw import strata_of
from evaluation.studies.write.create import StudyChoices, create_study
from evaluation.studies.write.states import close, pause, resume, save_run

CHANGES = {"pause": pause, "resume": resume, "close": close, "save": save_run}


class Command(BaseCommand):
    help = "Create, list, show, pause, resume, close or export human studies."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("doing", choices=("create", "list", "show", "export", *CHANGES))
        parser.add_argument("id", nargs="?", type=int)
        parser.add_argument("--benchmark", default="", metavar="SLUG", help="of create; list: only those of it")
        parser.add_argument("--name", default="study 1", help="of create: setting of the run People")
        parser.add_argument("--samples", type=int, default=50, metavar="N", help="of create")
        parser.add_argument("--facet", action="append", default=[], help="of create: strata; can be repeated")
        parser.add_argument("--people", type=int, default=3, metavar="K", help="of create: answers per sample, at most")
        parser.add_argument("--role", action="append", default=[], choices=INVITED, help="of create: who is invited")
        parser.add_argument(
            "--condition", action="append", default=[], choices=list(Condition), help="of create: part of images"
        )
        parser.add_argument("--seed", default="", help="of create; default: a secret one")
        parser.add_argument("--dry-run", action="store_true", help="of create: print the strata only")
        parser.add_argument("--json", action="store_true", help="of show: print JSON")
        parser.add_argument("--output", type=Path, default=None, help="of export: file; default: standard output")

    @answering_plainly
    def handle(self, *, doing: str, id: int | None, **options: Any) -> None:
        if doing == "create":
            self._create(options)
            return
        if doing == "list":
            self._list(options["benchmark"])
            return
        study = _numbered(doing, id)
        if doing == "show":
            self._show(study, as_json=options["json"])
        elif doing == "export":
            with written_to(options["output"]) as out:
                out.writelines(answer_lines(study))
        else:
            CHANGES[doing](actor=None, study=study)
            study.refresh_from_db()
            self.stdout.write(f"Study {study.pk}: {state_words(study)}.")

    def _create(self, options: dict[str, Any]) -> None:
        benchmark = the_benchmark(options["benchmark"])
        choices = StudyChoices(
            options["name"], options["samples"], options["facet"], options["people"],
            options["role"] or StudyChoices.roles, options["seed"], options["condition"],
        )  # fmt: skip
        strata, _ = strata_of(benchmark, choices.facets, choices.n, choices.conditions)
        for one in strata_shown(strata):
            self.stdout.write(f"{one['drawn']:>5} of {one['size']:>6}  {one['name']}")
        if not options["dry_run"]:
            study = create_study(actor=None, benchmark=benchmark, choices=choices)
            self.stdout.write(f"Study {study.pk}: {study}")

    def _list(self, slug: str) -> None:
        found = Experiment.objects.filter(kind=Experiment.Kind.HUMAN).select_related("benchmark").order_by("pk")
        for one in found.filter(benchmark=the_benchmark(slug)) if slug else found:
            answers = one.human_answers.given().count()
            self.stdout.write(f"{one.pk}  {one.benchmark.slug}  {one}  {state_words(one)}  {answers} answers")

    def _show(self, study: Experiment, *, as_json: bool) -> None:
        row = progress_row(study)
        if as_json:
            self.stdout.write(json.dumps({"benchmark": study.benchmark.slug, **row}, ensure_ascii=False))
            return
        self.stdout.write(f"{study}, {state_words(study)}, of {study.benchmark.slug}")
        for one in row["strata"]:
            self.stdout.write(f"{one['answers']:>5} answers on {one['answered']} of {one['drawn']}  {one['name']}")
        for one in row["participants"]:
            done = "finished" if one["finished"] else "not finished"
            self.stdout.write(f"person {one['person']}: {one['answers']} answers, {one['skipped']} skipped, {done}")


def _numbered(doing: str, number: int | None) -> Experiment:
    """The study of this number. Raises ``CommandError``."""
    if number is None:
        raise CommandError(f"Name the study: manage.py study {doing} ID.")
    studies = Experiment.objects.filter(kind=Experiment.Kind.HUMAN).select_related("benchmark", "import_record")
    found = studies.filter(pk=number).first()
    if found is None:
        raise CommandError(f"There is no study {number}. manage.py study list shows all.")
    return found
