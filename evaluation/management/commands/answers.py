"""``manage.py answers SLUG``: how the answers of each run were read, what could not be, and decisions on it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations
from django.utils.translation import ngettext

from annotation.models import Benchmark
from evaluation.answers.read.groups import AnswerGroups, read_groups
from evaluation.answers.write import decide_answers
from evaluation.common.extraction.read import RunReport, read_extraction
from evaluation.exporters.tables import WRITERS
from evaluation.importers.decisions import decisions_in
from evaluation.management.output import answering_plainly, the_benchmark
from evaluation.metrics.extraction_words import report_lines
from evaluation.models import Run
from evaluation.scoring.settings import settings_of

COLUMNS = ("group", "answers", "reason", "text", "question", "options", "runs", "decision")
"""Of the groups as CSV. Filled in, ``decision`` is taken by ``--decide``."""
STATES = ("answers", "blank", "decided", "file", "read", "unread", "undecided")
SHOWN = 70


class Command(BaseCommand):
    help = "Print how answers were read, print the groups to decide, or decide them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--run", type=int, help="only of this run: the number in its address")
        parser.add_argument("--unread", action="store_true", help="the groups of answers to decide")
        parser.add_argument("--format", choices=["table", "json", "csv"], default="table")
        parser.add_argument(
            "--decide", type=Path, metavar="FILE.csv",
            help="decide groups: columns group and decision (a letter, 0 for none of them, y, n, or ? for a judge)",
        )  # fmt: skip

    @answering_plainly
    @no_translations
    def handle(self, *, slug: str, run: int | None, unread: bool, format: str, **options: Any) -> None:
        benchmark: Benchmark = the_benchmark(slug)
        if run is not None and not Run.objects.filter(benchmark=benchmark, pk=run).exists():
            known = ", ".join(f"{one.pk} {one}" for one in Run.objects.of(benchmark))
            raise CommandError(f"{benchmark.title} has no run {run}. Runs: {known or 'none yet'}.")
        if options["decide"]:
            self._decide(benchmark, run, options["decide"])
        elif unread:
            self._groups(read_groups(benchmark, None, run=run), format)
        else:
            self._reports(benchmark, read_extraction(benchmark, run), format)

    def _reports(self, benchmark: Benchmark, reports: list[RunReport], format: str) -> None:
        if format == "json":
            self.stdout.write(json.dumps([_report_row(one) for one in reports], ensure_ascii=False, indent=1))
            return
        if format == "csv":
            rows = (_report_row(one, flat=True) for one in reports)
            WRITERS["csv"](sys.stdout.buffer, rows, ("run", "model", "setting", "stale", *STATES))
            return
        settings = settings_of(benchmark)
        for one in reports:
            self.stdout.write(f"{one.run}{' (stale)' if one.stale and one.report else ''}")
            for line in report_lines(one.report, settings) if one.report else [_why_none(one)]:
                self.stdout.write(f"  {line}")
        if any(one.report and (one.report["unread"] or one.report["undecided"]) for one in reports):
            self.stdout.write(
                f"Decide them: /benchmarks/{benchmark.slug}/answers/ or answers {benchmark.slug} --unread"
            )

    def _groups(self, found: AnswerGroups, format: str) -> None:
        rows = _group_rows(found)
        if format == "json":
            self.stdout.write(json.dumps(list(rows), ensure_ascii=False, indent=1))
        elif format == "csv":
            WRITERS["csv"](sys.stdout.buffer, rows, COLUMNS)
        else:
            for row in rows:
                self.stdout.write(f"{row['group']} {row['answers']:>6} {row['reason']:<14} {_one_line(row['text'])}")
            self.stdout.write(f"{_answers(found.answers)} in {_groups(len(found.tallies))}.")

    def _decide(self, benchmark: Benchmark, run: int | None, path: Path) -> None:
        said = dict(decisions_in(path))
        if not said:
            raise CommandError(f"{path} contains no decisions.")
        done = decide_answers(actor=None, benchmark=benchmark, said=said, run=run)
        gone = len(said) - done.groups
        runs = ngettext("%(count)s run", "%(count)s runs", done.runs) % {"count": done.runs}
        self.stdout.write(f"Decided {_answers(done.answers)} in {_groups(done.groups)} of {runs}.")
        if gone:
            self.stdout.write(f"The file also decides {_groups(gone)} that had no undecided answer.")
        self.stdout.write(f"Score them: score {benchmark.slug}")


def _why_none(one: RunReport) -> str:
    return "A detector gives no answers." if one.run.by_detector else "Not scored yet."


def _report_row(one: RunReport, *, flat: bool = False) -> dict[str, Any]:
    named = {"run": one.run.pk, "model": one.run.model.name, "setting": one.run.setting, "stale": one.stale}
    return {**named, **(one.report or {})} if flat else {**named, "report": one.report}


def _group_rows(found: AnswerGroups) -> Iterator[dict[str, Any]]:
    for group in found.groups:
        yield {
            "group": group.key,
            "answers": group.n,
            "reason": group.reason,
            "text": group.text,
            "question": group.question,
            "options": "; ".join(f"{letter} {text}" for letter, text in group.options.items()),
            "runs": "; ".join(found.names[run] for run in group.by_run),
            "decision": "",
        }


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"


def _answers(count: int) -> str:
    return ngettext("%(count)s answer", "%(count)s answers", count) % {"count": count}


def _groups(count: int) -> str:
    return ngettext("%(count)s group", "%(count)s groups", count) % {"count": count}
