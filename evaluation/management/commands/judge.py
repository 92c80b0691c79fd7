"""``manage.py judge SLUG``: let a model judge the trajectories of a run."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from evaluation.experiments.write.create import DEFAULT_SAMPLING
from evaluation.experiments.write.judges import JudgeChoices, create_judge
from evaluation.management.commands.endpoint import endpoint_named
from evaluation.management.experiments import add_shared_arguments, begin, run_of
from evaluation.management.output import answering_plainly, the_benchmark
from evaluation.runner.judges import VOTES, Question
from evaluation.runner.sampling import SAMPLING


class Command(BaseCommand):
    help = "Let a model judge the trajectories of a run."

    def add_arguments(self, parser: CommandParser) -> None:
        add_shared_arguments(parser, calls=10_000)
        parser.add_argument("--run", type=int, required=True, metavar="ID")
        parser.add_argument("--kind", required=True, choices=list(Question), dest="question")
        parser.add_argument("--votes", type=int, choices=VOTES, default=1)
        parser.add_argument("--prompt", default="", metavar="SLUG@VERSION", help="default: that of the question")
        parser.add_argument("--sampling", default=DEFAULT_SAMPLING, choices=list(SAMPLING))
        parser.add_argument("--images", default="", metavar="POLICY", help="original, fit:N or pixels:N")

    @answering_plainly
    def handle(self, *, slug: str, run: int, endpoint: str, **options: Any) -> None:
        benchmark = the_benchmark(slug)
        names = ("question", "votes", "prompt", "samples", "sampling", "images", "budget_usd", "budget_calls")
        create = partial(
            create_judge, actor=None, run=run_of(benchmark, run), endpoint=endpoint_named(endpoint, benchmark),
            choices=JudgeChoices(**{name: options[name] for name in names}),
        )  # fmt: skip
        begin(self, create, options)
