"""``manage.py experiment list|show|pause|resume|stop|retry|export``: experiments that exist."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.serializers.json import DjangoJSONEncoder

from evaluation.experiments.present.rows import experiment_row, progress_row
from evaluation.experiments.read.exchanges import exchange_lines
from evaluation.experiments.read.progress import accuracy_of, progress_of
from evaluation.experiments.write.states import pause, resume, retry_failed, stop
from evaluation.management.experiments import add_confirmations, confirmed_in, work_to_the_end
from evaluation.management.output import answering_plainly, the_benchmark, written_to
from evaluation.models import Experiment

CHANGES: Mapping[str, Callable[..., Any]] = {"pause": pause, "resume": resume, "stop": stop, "retry": retry_failed}
RUNNING = ("resume", "retry")
"""After these, the experiment runs."""


class Command(BaseCommand):
    help = "List, show, pause, resume, stop, retry or export experiments."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("doing", choices=("list", "show", "export", *CHANGES))
        parser.add_argument("id", nargs="?", type=int)
        parser.add_argument("--benchmark", default="", metavar="SLUG", help="list those of this benchmark")
        parser.add_argument("--json", action="store_true", help="of list and show: print JSON, one experiment a line")
        parser.add_argument("--wait", action="store_true", help="of resume and retry: work on it here until it ends")
        add_confirmations(parser)
        parser.add_argument("--images", action="store_true", help="of export: requests with their images")
        parser.add_argument("--output", type=Path, default=None, help="of export: file; default: standard output")

    @answering_plainly
    def handle(self, *, doing: str, id: int | None, **options: Any) -> None:
        if doing == "list":
            self._list(options["benchmark"], as_json=options["json"])
            return
        experiment = experiment_numbered(doing, id)
        if doing == "show":
            self._show(experiment, as_json=options["json"])
            return
        if doing == "export":
            with written_to(options["output"]) as out:
                out.writelines(exchange_lines(experiment, None, images=options["images"]))
            return
        CHANGES[doing](
            actor=None, experiment=experiment, **({"confirm": confirmed_in(options)} if doing in RUNNING else {})
        )
        experiment.refresh_from_db()
        self.stdout.write(f"Experiment {experiment.pk}: {experiment.get_state_display()}.")
        if options["wait"] and doing in RUNNING:
            work_to_the_end(self, experiment)

    def _list(self, slug: str, *, as_json: bool) -> None:
        found: Any = Experiment.objects.of_models().with_counts().select_related("benchmark").order_by("pk")
        for one in found.filter(benchmark=the_benchmark(slug)) if slug else found:
            if as_json:
                self._write({"benchmark": one.benchmark.slug, **experiment_row(one)})
                continue
            counts = f"{one.done_n} done, {one.failed_n} failed of {one.attempts_n}"
            self.stdout.write(
                f"{one.pk}  {one.benchmark.slug}  {one}  {one.get_state_display()}  {counts}  {one.spent_usd:.2f} USD"
            )

    def _show(self, experiment: Experiment, *, as_json: bool) -> None:
        if as_json:
            self._write({"benchmark": experiment.benchmark.slug, **progress_row(experiment)})
            return
        progress, accuracy = progress_of(experiment), accuracy_of(experiment)
        lines = {
            "benchmark": experiment.benchmark.slug,
            "endpoint": experiment.endpoint_name,
            "state": " ".join(part for part in (experiment.get_state_display(), experiment.pause_note) if part),
            "attempts": progress.sentence,
            "failures": ", ".join(f"{n} {kind}" for kind, n in progress.failures) or "none",
            "requests": f"{experiment.calls} of {experiment.budget_calls}",
            "spent": f"{experiment.spent_usd:.2f} of {experiment.budget_usd:.2f} USD",
            "accuracy of the run": f"{accuracy.value:.1%}, n = {accuracy.n}" if accuracy else "n/a",
            "recipe": experiment.recipe_digest,
        }
        self.stdout.write(f"Experiment {experiment.pk}: {experiment}")
        for name, value in lines.items():
            self.stdout.write(f"{name}: {value}")

    def _write(self, row: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(row, ensure_ascii=False, cls=DjangoJSONEncoder))


def experiment_numbered(doing: str, number: int | None) -> Experiment:
    """The experiment of this number. Raises ``CommandError``."""
    if number is None:
        raise CommandError(f"Name the experiment: manage.py experiment {doing} ID.")
    related = Experiment.objects.of_models().select_related("benchmark", "endpoint", "created_by", "import_record")
    found = related.filter(pk=number).first()
    if found is None:
        raise CommandError(f"There is no experiment {number}. manage.py experiment list shows all.")
    return found
