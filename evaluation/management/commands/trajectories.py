"""``manage.py trajectories SLUG --query QUERY``: what a query lists, as a table or as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations
from django.utils.translation import ngettext

from annotation.models import Benchmark
from evaluation.common.shown import NOTHING, selected_fields
from evaluation.common.vocabulary import query_vocabulary
from evaluation.management.output import the_benchmark
from evaluation.models import Run
from evaluation.query.check import read
from evaluation.query.fields import described
from evaluation.query.syntax import QueryError
from evaluation.store.trajectory_list import SORT, TrajectoryList
from evaluation.trajectories.read.rows import column_of, columns_with, list_rows
from webapp.common.errors import InvalidInput


class Command(BaseCommand):
    help = "List the trajectories that match a query."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--query", default="", help='such as: run:"Model A" quadrant:G-A- and calls > 4')
        parser.add_argument("--sort", default="", help="a field that is a number: ioa lowest first, -ioa highest first")
        parser.add_argument("--show", default="", help="additional fields of each row, such as seconds,facet.category")
        parser.add_argument("--format", choices=["table", "jsonl", "count"], default="table")
        parser.add_argument("--fields", action="store_true", help="print the fields of the query language instead")

    @no_translations
    def handle(self, *, slug: str, query: str, sort: str, show: str, format: str, fields: bool, **options: Any) -> None:
        if fields:
            for field in described():
                self.stdout.write(f"{field.name:<16} {field.kind:<13} {field.about}")
            return
        benchmark: Benchmark = the_benchmark(slug)
        runs = list(Run.objects.of(benchmark))
        try:
            read(query, query_vocabulary(benchmark, runs, None))
        except QueryError as error:
            raise CommandError(f"{error.sentence}\n{error.caret}") from error
        terms = {name: value for name, value in (("q", query.strip()), (SORT, sort)) if value}
        try:
            found = TrajectoryList(benchmark, runs, terms)
            shown = selected_fields(show or NOTHING, found.facet_values)
        except InvalidInput as error:
            raise CommandError(str(error)) from error
        if format == "count":
            self.stdout.write(str(found.total))
            return
        for row in list_rows(found.snapshot, found.pks.tolist(), columns_with(shown), named=True):
            self.stdout.write(_line(row, shown) if format == "table" else json.dumps(row))
        if format == "table":
            total = ngettext("%(count)s trajectory.", "%(count)s trajectories.", found.total)
            self.stdout.write(total % {"count": found.total})


def _line(facts: dict[str, Any], shown: Sequence[str]) -> str:
    more = "".join(f"  {name}={_said(facts, name)}" for name in shown)
    verdict = {True: "correct", False: "incorrect"}.get(facts["correct"], "n/a")
    ioa = "n/a" if facts["ioa"] is None else f"{facts['ioa']:.2f}"
    return (
        f"{facts['id']:>9} {facts['sample']:<24} {facts['run']:<28} {facts['quadrant'] or 'n/a':<5} {verdict:<9} {ioa}"
        f"{more}"
    )


def _said(facts: dict[str, Any], name: str) -> Any:
    value = facts[column_of(name)]
    return "n/a" if value is None else value
