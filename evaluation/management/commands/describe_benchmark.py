"""``manage.py describe_benchmark SLUG``: the benchmark in numbers."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser, no_translations

from evaluation.exports.read.description import describe_benchmark
from evaluation.management.output import the_benchmark


class Command(BaseCommand):
    help = "Print the numbers of a benchmark: samples, answer types, reference toolchains, evidence sizes, facets."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--format", choices=["table", "json"], default="table")

    @no_translations
    def handle(self, *, slug: str, format: str, **options: Any) -> None:
        numbers = describe_benchmark(the_benchmark(slug))
        if format == "json":
            self.stdout.write(json.dumps(numbers, ensure_ascii=False, indent=1))
            return
        by = numbers.pop("by")
        for name, value in numbers.items():
            shown = "n/a" if value is None else f"{value:.6g}" if isinstance(value, float) else value
            self.stdout.write(f"{name.replace('_', ' '):<24}{shown}")
        for facet, counts in by.items():
            self.stdout.write(f"{facet}: " + ", ".join(f"{value} {n}" for value, n in counts.items()))
