"""``manage.py arms SLUG``: repeat the trajectories of a run under arms of the faithfulness lab."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from evaluation.experiments.write.arms import MARGIN, USUAL, ArmChoices, create_arms
from evaluation.management.commands.endpoint import endpoint_named
from evaluation.management.experiments import add_shared_arguments, begin, run_of
from evaluation.management.output import answering_plainly, the_benchmark
from evaluation.runner.arms.catalogue import Estimand
from evaluation.runner.sampling import SAMPLING


class Command(BaseCommand):
    help = "Repeat the trajectories of a run under arms: one controlled change each."

    def add_arguments(self, parser: CommandParser) -> None:
        add_shared_arguments(parser, calls=10_000)
        parser.add_argument("--run", type=int, required=True, metavar="ID")
        parser.add_argument("--estimand", choices=list(Estimand), default=Estimand.PREFIX.value)
        parser.add_argument(
            "--arms", default=USUAL, metavar="LIST", help="such as sham:4,noise:12.5-100x3; default: %(default)s"
        )
        parser.add_argument("--confirm", default="", metavar="LIST", help="confirmatory arms, such as noise:100")
        parser.add_argument("--margin", type=float, default=MARGIN, help="of equivalence, in percentage points")
        parser.add_argument("--sampling", default="", choices=["", *SAMPLING], help="default: that of the run")
        parser.add_argument(
            "--injector", default="", metavar="SLUG@VERSION", help="prompt of mistake-judge; default: any"
        )

    @answering_plainly
    def handle(self, *, slug: str, run: int, endpoint: str, **options: Any) -> None:
        benchmark = the_benchmark(slug)
        names = (
            "arms", "estimand", "confirm", "margin", "samples", "sampling", "injector", "budget_usd", "budget_calls",
        )  # fmt: skip
        create = partial(
            create_arms, actor=None, run=run_of(benchmark, run), endpoint=endpoint_named(endpoint, benchmark),
            choices=ArmChoices(**{name: options[name] for name in names}),
        )  # fmt: skip
        begin(self, create, options)
