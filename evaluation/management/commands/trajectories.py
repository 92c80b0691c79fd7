"""``manage.py trajectories SLUG --query QUERY``: what a query lists, as a table or as lines of JSON."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Benchmark
from evaluation.actions.list_words import vocabulary_of
from evaluation.actions.read_list import TrajectoryList
from evaluation.management.output import the_benchmark
from evaluation.metrics.columns import Quadrant
from evaluation.models import Run, Trajectory
from evaluation.query.check import read
from evaluation.query.fields import described
from evaluation.query.syntax import QueryError

CHUNK = 500


class Command(BaseCommand):
    help = "List the trajectories that meet a query."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--query", default="", help='such as: run:"Model A" quadrant:G-A- and calls > 4')
        parser.add_argument("--format", choices=["table", "jsonl", "count"], default="table")
        parser.add_argument("--fields", action="store_true", help="print the fields of the query language instead")

    def handle(self, *, slug: str, query: str, format: str, fields: bool, **options: Any) -> None:
        if fields:
            for field in described():
                self.stdout.write(f"{field.name:<16} {field.kind:<13} {field.about}")
            return
        benchmark: Benchmark = the_benchmark(slug)
        runs = list(Run.objects.of(benchmark).without_tables())
        try:
            read(query, vocabulary_of(benchmark, runs, None))
        except QueryError as error:
            raise CommandError(f"{error.sentence}\n{error.caret}") from error
        found = TrajectoryList(benchmark, runs, {"q": query} if query.strip() else {})
        if format == "count":
            self.stdout.write(str(found.total))
            return
        pks = found.pks.tolist()
        for first in range(0, len(pks), CHUNK):
            self._print(pks[first : first + CHUNK], format)
        if format == "table":
            self.stdout.write(f"{found.total} trajectories.")

    def _print(self, pks: list[int], format: str) -> None:
        rows = (
            Trajectory.objects.filter(pk__in=pks)
            .select_related("run__model", "sample__gold__revision", "score")
            .in_bulk()
        )
        for pk in pks:
            row = rows[pk]
            score = getattr(row, "score", None)
            facts = {
                "id": pk, "sample": row.sample.key, "run": str(row.run), "condition": row.condition,
                "rollout": row.rollout, "correct": score.correct if score else None,
                "quadrant": Quadrant.NAMES[score.quadrant] if score and score.quadrant >= 0 else None,
                "ioa": score.ioa if score else None, "calls": score.calls if score else None,
            }  # fmt: skip
            self.stdout.write(json.dumps(facts) if format == "jsonl" else _line(facts))


def _line(facts: dict[str, Any]) -> str:
    verdict = {True: "right", False: "wrong"}.get(facts["correct"], "n/a")
    ioa = "n/a" if facts["ioa"] is None else f"{facts['ioa']:.2f}"
    return (
        f"{facts['id']:>9} {facts['sample']:<24} {facts['run']:<28} {facts['quadrant'] or 'n/a':<5} {verdict:<6} {ioa}"
    )
