"""``manage.py detect SLUG``: ask a detector for the tools in the images of a benchmark."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from evaluation.detections import THRESHOLD
from evaluation.experiments.write.detectors import DetectorChoices, create_detection
from evaluation.management.commands.endpoint import endpoint_named
from evaluation.management.experiments import add_shared_arguments, begin
from evaluation.management.output import answering_plainly, the_benchmark


class Command(BaseCommand):
    help = "Ask a detector for the tools in the images of a benchmark."

    def add_arguments(self, parser: CommandParser) -> None:
        add_shared_arguments(parser, calls=10_000)
        said = "what it looks for, divided by commas; default: all tools in the gold of the benchmark"
        parser.add_argument("--names", default="", metavar="LIST", help=said)
        parser.add_argument(
            "--threshold", type=float, default=THRESHOLD, help="score that counts; default: %(default)s"
        )
        parser.add_argument("--images", default="", metavar="POLICY", help="original, fit:N or pixels:N")
        parser.add_argument("--setting", default="", help="name of the setting; default: detector@ and the score")

    @answering_plainly
    def handle(self, *, slug: str, endpoint: str, **options: Any) -> None:
        benchmark = the_benchmark(slug)
        names = ("names", "threshold", "samples", "setting", "images", "budget_usd", "budget_calls")
        create = partial(
            create_detection, actor=None, benchmark=benchmark, endpoint=endpoint_named(endpoint, benchmark),
            choices=DetectorChoices(**{name: options[name] for name in names}),
        )  # fmt: skip
        begin(self, create, options)
