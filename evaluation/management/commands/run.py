"""``manage.py run SLUG``: run a model on the samples of a benchmark."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from evaluation.experiments.read.connection import client_of
from evaluation.experiments.read.progress import price_range
from evaluation.experiments.read.tasks import selected_samples, task_of, with_task
from evaluation.experiments.write.create import DEFAULT_SAMPLING, Choices, create_experiment
from evaluation.management.commands.endpoint import endpoint_named
from evaluation.management.experiments import add_shared_arguments, begin
from evaluation.management.output import answering_plainly, the_benchmark
from evaluation.models import Experiment
from evaluation.runner.conversation import Conversation
from evaluation.runner.protocols import PROTOCOLS
from evaluation.runner.recipe import Recipe
from evaluation.runner.sampling import SAMPLING
from evaluation.runner.turns import Request


class Command(BaseCommand):
    help = "Run a model on the samples of a benchmark through an endpoint."

    def add_arguments(self, parser: CommandParser) -> None:
        add_shared_arguments(parser, calls=1000)
        parser.add_argument("--protocol", required=True, choices=list(PROTOCOLS))
        parser.add_argument("--dialect", default="", help="how the model writes calls; default: that of the endpoint")
        said = "system or user prompt, of Sightline or of people; default: that of the protocol"
        parser.add_argument("--prompt", default="", metavar="SLUG@VERSION", help=said)
        parser.add_argument(
            "--user-prompt", default="", metavar="SLUG@VERSION", help="if --prompt names a system prompt"
        )
        parser.add_argument("--rollouts", type=int, default=1)
        parser.add_argument("--images", default="", metavar="POLICY", help="original, fit:N or pixels:N")
        parser.add_argument("--setting", default="", help="name of the setting; default: that of the protocol")
        parser.add_argument(
            "--lineage", default="", metavar="NAME", help="if the endpoint serves a checkpoint; with --step"
        )
        parser.add_argument("--step", type=int, metavar="N", help="of the training")
        parser.add_argument("--sampling", default=DEFAULT_SAMPLING, choices=list(SAMPLING))
        parser.add_argument("--dry-run", action="store_true", help="print the first request; send nothing")

    @answering_plainly
    def handle(self, *, slug: str, **options: Any) -> None:
        benchmark = the_benchmark(slug)
        endpoint = endpoint_named(options["endpoint"], benchmark)
        names = (
            "protocol", "dialect", "prompt", "user_prompt", "rollouts", "images", "samples", "setting", "sampling",
            "lineage", "step",
        )  # fmt: skip
        budget = {name: options[name] for name in ("budget_usd", "budget_calls")}
        choices = Choices(**{name: options[name] for name in names}, **budget)
        create = partial(create_experiment, actor=None, benchmark=benchmark, endpoint=endpoint, choices=choices)
        if options["dry_run"]:
            # A trial leaves no trace: no experiment, no audit entry, no frozen prompt.
            with transaction.atomic():
                self._show_first(create())
                transaction.set_rollback(True)
            return
        begin(self, create, options)

    def _show_first(self, experiment: Experiment) -> None:
        recipe = Recipe.from_json(experiment.recipe)
        samples = selected_samples(experiment.benchmark, experiment.samples)
        sample = with_task(samples)[:1].get()
        request = Conversation(recipe, task_of(sample)).next()
        assert isinstance(request, Request)
        assert experiment.endpoint is not None
        with client_of(experiment.endpoint) as client:
            body = client.outgoing(request.body)
        self.stdout.write(json.dumps(body, ensure_ascii=False, indent=2))
        self.stdout.write(f"{samples.count() * experiment.rollouts} attempts. {price_range(experiment).sentence}")
