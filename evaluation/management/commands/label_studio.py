"""``manage.py label_studio push|pull SLUG``: samples to a Label Studio, and back what people made of them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations

from annotation.exchange.write.label_studio import pull, push
from evaluation.management.output import answering_plainly, print_counts, the_benchmark


class Command(BaseCommand):
    help = "Send the samples of a benchmark to Label Studio (push), or import a project from there (pull)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("direction", choices=["push", "pull"])
        parser.add_argument("slug", help="the benchmark's address")
        parser.add_argument("--url", required=True, help="address of Label Studio, such as http://localhost:8080")
        parser.add_argument("--token", required=True, help="from Account & Settings in Label Studio")
        parser.add_argument("--project", required=True, help="number of the project; push creates one by default")
        parser.add_argument("--pictures", default="", help="push: prefix of the image names")

    @answering_plainly
    @no_translations
    def handle(self, *, direction: str, slug: str, project: str, pictures: str, **options: Any) -> None:
        if not project.isdecimal() and (project != "new" or direction == "pull"):
            raise CommandError(f"{project!r} is not a project number.")
        given = {"actor": None, "benchmark": the_benchmark(slug), "url": options["url"], "token": options["token"]}
        if direction == "pull":
            _, result = pull(**given, project=int(project))
            print_counts(self, result.counts, result.issues, ("read", "new", "changed", "unchanged"))
            return
        pushed = push(**given, project=None if project == "new" else int(project), pictures=pictures)
        counts = ", ".join(f"{name} {pushed.counts[name]}" for name in ("new", "changed", "unchanged"))
        self.stdout.write(f"Project {pushed.project}: {counts}.")
        if pushed.counts["annotated"]:
            self.stdout.write(f"Gold added as an annotation: {pushed.counts['annotated']}.")
