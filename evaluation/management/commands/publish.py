"""``manage.py publish SLUG DIR``: the leaderboard and chosen trajectories as files for any web server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from evaluation.management.output import answering_plainly, the_benchmark
from evaluation.publish.bundle import publish
from webapp import env
from webapp.common.static import collect


class Command(BaseCommand):
    help = "Write a read-only copy of the leaderboard and of chosen trajectories that needs no Sightline server."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("folder", type=Path, help="new, empty, or an earlier copy, which is replaced")
        parser.add_argument(
            "--cases",
            action="append",
            default=[],
            metavar="QUERY",
            help="the part after ? in the address of a list of trajectories; can be repeated",
        )
        parser.add_argument("--most", type=int, default=100, help="trajectories of each list (default: 100)")

    @answering_plainly
    def handle(self, *, slug: str, folder: Path, cases: list[str], most: int, **options: Any) -> None:
        benchmark = the_benchmark(slug)
        collect()
        with env.usual_permissions():
            counts = publish(benchmark, folder.absolute(), cases, most=most, today=timezone.localdate())
        self.stdout.write(
            "{pages} pages, {cases} trajectories and {pictures} image parts written".format(**counts)
            + f" to {folder}: {counts['files']} files. Open index.html."
        )
