"""Adding the runs of a portable file to a benchmark, through the import of the native format."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import DataError, IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.exchange.write.samples import finish_record, open_record
from annotation.importers.interface import ImportProblem
from annotation.models import Benchmark, ImportRecord, Sample
from annotation.portable.read.people import uids_in
from annotation.portable.write.people import placeholder, placeholder_of
from annotation.project_file import InvalidFileError, Line, Reader, line_of
from annotation.workflow import Right
from evaluation.common.lineage.write import place_in, refuse_taken
from evaluation.common.saving.batches import RunRegistry, delete_unused_models
from evaluation.common.saving.native import NATIVE, OPTIONS, Checked, Checkpoint, check_native, stage_native
from evaluation.exports.read.run_changes import NATIVE_NAMES, FileRun, RunEntry, RunKind
from evaluation.exports.read.runs import GROUPS, JUDGEMENTS, SETTINGS
from evaluation.exports.write.marks import add_lines, add_marks, check_marks
from evaluation.models import Judgement, Model, RolloutGroup, Run, Trajectory
from evaluation.models.run import PROTOCOL
from evaluation.schema import Severity
from evaluation.scoring.settings import change_settings
from evaluation.store.files import rows_changed
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import ApplicationError, Conflict, InvalidInput
from webapp.jobs.context import JobCancelled

ONLY_THERE = {"other-text", "judges-asked", "said-here", "no-such-answer"}
"""Rules that leave out a judgment: of an answer that is another one now, or while judges are asked."""
FOLDER = "runs of a portable file"
"""The name of the import in the history of imports."""
BATCH = 1000
LOST = (
    ApplicationError, InvalidFileError, ImportProblem, IntegrityError, DataError, OverflowError, JobCancelled,
)  # fmt: skip
"""After these, the same import can't be continued."""
Finish = Callable[[dict[str, int]], None]


def add_runs(
    *,
    actor: User | None,
    benchmark: Benchmark,
    file: Reader,
    runs: Collection[FileRun],
    without: Collection[str] = (),
    finish: Finish = lambda _: None,
    checkpoint: Checkpoint | None = None,
) -> dict[str, int]:
    """Add runs that the benchmark does not have, with their uid, people and times. ``without``: samples whose rows are
    left out, because they have another image here. Returns counts.

    Their rows are written in batches, each in a transaction that ends with ``checkpoint``, so that others can save
    meanwhile. The runs appear in the last transaction, in which ``finish`` is called with the counts. A second call
    continues what broke off. Raises ``InvalidFileError`` for a row that can't be read, ``Conflict`` if a lineage has
    such a step or the benchmark has such a run already; then nothing is left.
    """
    require(actor, benchmark, Right.IMPORT_RUNS)
    for one in runs:
        Model.objects.get_or_create(name=one.model, defaults={"baseline": one.baseline})
    brought = Brought(actor, benchmark, file, runs, without, People(benchmark, file))
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / FOLDER
        folder.mkdir()
        record = None
        if _write_native(brought, folder):
            record = open_record(
                actor=actor, benchmark=benchmark, kind=ImportRecord.Kind.RUNS, path=folder, format=NATIVE,
                options=dict(OPTIONS),
            )  # fmt: skip
        try:
            counts = Counter[str]()
            if record is not None:
                counts = stage_native(actor, record, folder, checkpoint)
                _refuse_invalid(record)
            with transaction.atomic():
                found = _reveal(brought, record, counts)
                finish(found)
        except LOST as error:
            if record is not None:
                discard(record)
            if isinstance(error, ImportProblem):
                raise Conflict(str(error), code="unreadable_file") from error
            raise
    return found


def check_runs(
    *, benchmark: Benchmark, file: Reader, runs: Collection[FileRun], without: Collection[str], added: Collection[str]
) -> None:
    """Read all that ``add_runs`` would read, and write nothing. ``added``: samples that the benchmark gets before.
    Raises as ``add_runs`` does for rows of the file, so that a file that will be rejected changes nothing."""
    brought = Brought(None, benchmark, file, runs, without, _CheckedPeople(benchmark, file))
    for one in runs:
        brought.people.of(one.line, "created_by")
    keys = {*Sample.objects.filter(benchmark=benchmark).values_list("key", flat=True), *added}
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / FOLDER
        folder.mkdir()
        try:
            found = check_native(benchmark, folder, keys) if _write_native(brought, folder) else Checked()
        except ImportProblem as error:
            raise Conflict(str(error), code="unreadable_file") from error
    if found.refused is not None:
        raise _invalid(found.refused.file, found.refused.line, found.refused.field, found.refused.done)
    names = {(one.model, one.setting) for one in runs}
    check_marks(file, names, brought.people.of, without, found.trajectories)


def add_new_marks(
    *, actor: User | None, benchmark: Benchmark, file: Reader, entries: Collection[RunEntry]
) -> dict[str, int]:
    """Add the marks of a file that runs of the benchmark lack, with their people and times. What differs is not
    changed. Returns counts. Call inside a transaction. Raises ``InvalidFileError``, ``NotAllowed``."""
    require(actor, benchmark, Right.IMPORT_RUNS)
    runs, lines = {}, dict[str, set[int]]()
    for one in entries:
        if one.kind is RunKind.MARKED and one.run is not None and one.here is not None and one.marks is not None:
            runs[one.run.model, one.run.setting] = one.here
            for table, numbers in one.marks.lines.items():
                lines.setdefault(table, set()).update(numbers)
    if not runs:
        return {}
    counts = add_lines(benchmark, file, runs, People(benchmark, file).of, lines)
    data = {"checksum": file.manifest.checksum, "runs": [str(run) for run in runs.values()], **counts}
    audit.record(actor=actor, action="import.project_marks", subject=benchmark, benchmark=benchmark.slug, data=data)
    return counts


@dataclass(frozen=True)
class Brought:
    """The runs of a file that a benchmark gets."""

    actor: User | None
    benchmark: Benchmark
    file: Reader
    runs: Collection[FileRun]
    without: Collection[str]
    people: People


def discard(record: ImportRecord) -> None:
    """Delete an import that came to nothing with all it staged, a batch at a time."""
    rows = Trajectory.everything.filter(run__staged_for=record).order_by("pk")
    while some := list(rows.values_list("pk", flat=True)[:BATCH]):
        Trajectory.everything.filter(pk__in=some).delete()
    with transaction.atomic():
        RolloutGroup.objects.filter(source=record).delete()
        record.delete()
    delete_unused_models()


def _reveal(brought: Brought, record: ImportRecord | None, counts: Counter[str]) -> dict[str, int]:
    """Make the staged runs runs of the benchmark, with their people, times and marks, in the order of the file."""
    actor, benchmark, people = brought.actor, brought.benchmark, brought.people
    registry, made = RunRegistry(benchmark, actor, samples={}), {}
    for one in brought.runs:
        made[one.model, one.setting] = _run_of(registry, one, record, people)
    pks = [run.pk for run in made.values()]
    for person, address in people.judges.items():
        Judgement.objects.filter(run__in=pks, judge=address).update(person=person)
    marks = add_marks(benchmark, brought.file, made, people.of, brought.without)
    rows_changed(pks)
    found = {"runs": len(made), "trajectories": counts.get("trajectories", 0), **marks}
    data = {"checksum": brought.file.manifest.checksum, **found} | ({"import": record.pk} if record else {})
    audit.record(actor=actor, action="import.project_runs", subject=benchmark, benchmark=benchmark.slug, data=data)
    if record is not None:
        finish_record(actor, record, counts)
    return found


def _run_of(registry: RunRegistry, one: FileRun, record: ImportRecord | None, people: People) -> Run:
    """The run of a file, with its letter. One without rows was not staged."""
    benchmark, named = registry.benchmark, {"model__name": one.model, "setting": one.setting}
    if Run.objects.filter(benchmark=benchmark, **named).exists():
        message = gettext("%(run)s is a run of this benchmark now. Update it from the file again.")
        raise Conflict(message % {"run": one}, code="run_exists")
    run = Run.everything.filter(staged_for=record, **named).first() if record else None
    number = None if run is None else registry.next_number()
    run = run or registry.run(one.model, one.setting)
    if (place := place_in(run)) is not None:
        refuse_taken(benchmark, place, one.model, one.setting)
    values: dict[str, Any] = {"uid": one.uid, "note": one.note, "created_by": people.of(one.line, "created_by")}
    values |= {"created_at": one.created_at, "staged_for": None, "number": number or run.number}
    if one.protocols:
        values["extra"] = {**run.extra, PROTOCOL: one.protocols}
    Run.everything.filter(pk=run.pk).update(**values)
    return run


def take_settings(*, actor: User | None, benchmark: Benchmark, file: Reader) -> None:
    """The metric settings of the file become those of a new benchmark, so that its scores are equal."""
    for line in file.lines(SETTINGS):
        try:
            change_settings(actor=actor, benchmark=benchmark, values=line.row)
        except InvalidInput as error:
            raise line.error("settings", f"are invalid: {error.message}") from error


class People:
    """The placeholders of the people that rows of runs name. ``judges``: the address of each that judged."""

    def __init__(self, benchmark: Benchmark, file: Reader) -> None:
        self._benchmark, self._checksum = benchmark, file.manifest.checksum
        self._rows = list(file.rows("person"))
        self._found: dict[int, User] = {}
        self.judges: dict[int, str] = {}

    def of(self, line: Line, field: str) -> User | None:
        number = line.reference_or_none(field, len(self._rows))
        if number is None:
            return None
        if number not in self._found:
            row = Line("person", number, self._rows[number - 1])
            self._found[number] = placeholder(self._benchmark, row, unnamed=f"{self._checksum} {number}")
        return self._found[number]

    def judge(self, line: Line) -> User | None:
        found = self.of(line, "person")
        if found is not None:
            self.judges[found.pk] = found.email
        return found


class _CheckedPeople(People):
    """Checks the people that rows name, and makes no placeholders."""

    def of(self, line: Line, field: str) -> User | None:
        number = line.reference_or_none(field, len(self._rows))
        if number is not None:
            row = Line("person", number, self._rows[number - 1])
            uids_in(row)
            placeholder_of(row, self._benchmark.slug)
        return None


def _write_native(brought: Brought, folder: Path) -> bool:
    """Write the rows of these runs as a folder of the native format; whether there are any. Rows that are left out stay
    blank lines, so that issues name the lines of the file."""
    found, wanted = False, {(one.model, one.setting) for one in brought.runs}
    groups = brought.benchmark.rollout_groups.filter(Q(source=None) | ~Q(source__state=ImportRecord.State.RUNNING))
    known = set(groups.values_list("group_id", flat=True))
    for table, native in NATIVE_NAMES.items():
        with (folder / f"{native}.jsonl").open("wb") as out:
            for line in brought.file.lines(table):
                row = dict(line.row)
                if table == GROUPS:
                    left_out = row.get("group_id") in known or not _is_of(row, wanted)
                else:
                    of = (row["model"], row.get("setting") or "")
                    left_out = of not in wanted or row["sample_id"] in brought.without
                if not left_out and table == JUDGEMENTS and (judge := brought.people.judge(line)) is not None:
                    row = {name: value for name, value in row.items() if name != "person"} | {"judge": judge.email}
                out.write(b"\n" if left_out else line_of(row))
                found = found or not left_out
    return found


def _is_of(group: Mapping[str, Any], runs: Collection[tuple[str, str]]) -> bool:
    """Whether a rollout group names one of these runs, or no model."""
    model, setting = group.get("model"), group.get("setting")
    return model is None or any(model == one and setting in (None, other) for one, other in runs)


def _refuse_invalid(record: ImportRecord) -> None:
    """A damaged file is rejected as a whole."""
    refused = record.issues.filter(severity=Severity.REFUSED.value).exclude(rule__in=ONLY_THERE)
    if (issue := refused.order_by("pk").first()) is not None:
        raise _invalid(issue.file, issue.line, issue.field, issue.done)


def _invalid(file: str, line: int | None, field: str, done: str) -> InvalidFileError:
    """The error for a rejected row of the native format, with its place in the portable file."""
    table = {native: table for table, native in NATIVE_NAMES.items()}.get(Path(file).stem, "")
    return InvalidFileError(f"tables/{table}.jsonl, line {line}: {field} has no valid value. {done}")
