"""``manage.py rewards SLUG --run ID``: the rewards of the rollout groups of a run as JSON lines."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations

from evaluation.management.output import answering_plainly, the_benchmark
from evaluation.models import Run
from evaluation.rewards.read.groups import reward_groups
from evaluation.runner.rollouts import Scheme
from evaluation.runner.tokens import FAMILIES
from evaluation.scoring.settings import settings_of


class Command(BaseCommand):
    help = "Print the rewards of each rollout group of a run: one JSON object for each sample with several rollouts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the benchmark, as in its address")
        parser.add_argument("--run", type=int, required=True, help="the run, as in its address")
        parser.add_argument("--family", choices=list(FAMILIES), default="qwen2.5-vl", help="counts image tokens")

    @answering_plainly
    @no_translations
    def handle(self, *, slug: str, **options: Any) -> None:
        benchmark = the_benchmark(slug)
        run = Run.objects.of(benchmark).filter(pk=options["run"]).first()
        if run is None:
            raise CommandError(f"{benchmark.title} has no run {options['run']}.")
        scheme = Scheme(family=options["family"], settings=settings_of(benchmark))
        for group in reward_groups(run, scheme):
            line = {
                "run": run.pk, "sample": group.sample, "settings": scheme.to_json(), "reason": group.reason or None,
                "rollouts": [
                    {**reward.to_json(), "rollout": number, "trajectory": pk} for pk, number, reward in group.rows
                ],
            }  # fmt: skip
            self.stdout.write(json.dumps(line))
