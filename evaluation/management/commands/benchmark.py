"""``manage.py benchmark``: a whole benchmark as one portable file, and back."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations

from annotation.models import Benchmark
from annotation.portable.read.gold_changes import changes
from annotation.portable.read.table_changes import counts_apart, rows_apart
from annotation.portable.read.version import version_numbered
from annotation.project_file import InvalidFileError, Reader, differences
from evaluation.exports.read.names import NamedText, all_texts_with_names
from evaluation.exports.read.run_changes import changes_of_runs, runs_in
from evaluation.exports.write import import_project
from evaluation.exports.write.files import export_file
from evaluation.management.output import answering_plainly, the_benchmark, written_to
from evaluation.scoring.write import score_benchmark
from webapp.accounts.models import User

SHOWN_NAMES = 20
"""Texts with names that an export lists."""


class Command(BaseCommand):
    help = "Move a whole benchmark in one file: images, people, revisions, reviews, guidelines, schemas and versions."

    def add_arguments(self, parser: CommandParser) -> None:
        steps = parser.add_subparsers(dest="step", required=True)
        export = steps.add_parser("export", help="write a benchmark to a file")
        export.add_argument("slug")
        export.add_argument("file", type=Path)
        export.add_argument("--version", type=int, dest="number", help="one frozen version alone, by its number")
        export.add_argument("--runs", action="store_true", help="with finished runs and their trajectories")
        export.add_argument("--named", action="store_true", help="people by name and address, not as person-07")
        load = steps.add_parser("import", help="make a new, private benchmark out of a file")
        load.add_argument("file", type=Path)
        load.add_argument("slug")
        load.add_argument("--lead", required=True, help="address of the account that leads the new benchmark")
        verify = steps.add_parser("verify", help="hold a file against its checksums")
        verify.add_argument("file", type=Path)
        diff = steps.add_parser("diff", help="list what two files do not share")
        diff.add_argument("first", type=Path)
        diff.add_argument("second", type=Path)

    @answering_plainly
    @no_translations
    def handle(self, *, step: str, **options: Any) -> None:
        try:
            getattr(self, f"_{step}")(**{name: options[name] for name in NEEDS[step]})
        except InvalidFileError as error:
            raise CommandError(str(error)) from error

    def _export(self, slug: str, file: Path, named: bool, number: int | None, runs: bool) -> None:
        benchmark: Benchmark = the_benchmark(slug)
        version = None if number is None else version_numbered(benchmark, number)
        if not named:
            self._list_names(all_texts_with_names(benchmark, version))
        with written_to(file) as out:
            manifest = export_file(
                actor=None, benchmark=benchmark, out=out, named=named, version=version, with_runs=runs
            )
        self._say(manifest.checksum, {name: one.rows or 0 for name, one in manifest.members.items()})

    def _list_names(self, texts: Iterable[NamedText]) -> None:
        shown, count = [], 0
        for one in texts:
            count += 1
            if count <= SHOWN_NAMES:
                place = f"{one.table}.{one.field}" + (f" of {one.sample}" if one.sample else "")
                shown.append(f"  {place}: {' '.join(f'{one.before}{one.name}{one.after}'.split())}")
        if count:
            self.stdout.write("\n".join([f"Texts with names of people, which are not changed: {count}", *shown]))

    def _import(self, file: Path, slug: str, lead: str) -> None:
        person = User.objects.filter(email=lead.strip().lower(), is_active=True).first()
        if person is None:
            raise CommandError(f"There is no account {lead}. Create it, or name another.")
        made = import_project(actor=person, path=file, slug=slug, lead=person)
        runs = score_benchmark(actor=person, benchmark=made) if made.runs.exists() else []
        self.stdout.write(
            f"{made.slug} has {made.samples.count()} samples." + (f" {len(runs)} runs are scored." if runs else "")
        )

    def _verify(self, file: Path) -> None:
        with Reader(file) as found:
            found.verify()
            runs_in(found)
            self._say(found.manifest.checksum, {f"tables/{name}": rows for name, rows in found.tables.items()})

    def _diff(self, first: Path, second: Path) -> None:
        with Reader(first) as one, Reader(second) as other:
            different = differences(one, other)
            for line in changes(one, other):
                self.stdout.write(str(line))
            for row in rows_apart(one, other):
                self.stdout.write(str(row))
            for run in changes_of_runs(one, other):
                self.stdout.write(str(run))
            for table in counts_apart(one, other):
                self.stdout.write(f"{table.table}: {table.first} only in the first, {table.second} only in the second")
        if not different:
            self.stdout.write("The files have the same content.")

    def _say(self, checksum: str, rows: dict[str, int]) -> None:
        tables = sum(count for count in rows.values())
        self.stdout.write(f"{tables} rows, checksum {checksum}")


NEEDS = {
    "export": ("slug", "file", "named", "number", "runs"),
    "import": ("file", "slug", "lead"),
    "verify": ("file",),
    "diff": ("first", "second"),
}
