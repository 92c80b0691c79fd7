"""Adding the runs of a portable file to a benchmark, through the import of the native format."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from annotation.common.access import require
from annotation.importers.interface import ImportProblem
from annotation.models import Benchmark, ImportRecord
from annotation.portable.write.people import placeholder
from annotation.project_file import InvalidFileError, Line, Reader, line_of
from annotation.workflow import Right
from evaluation.common.saving.batches import RunRegistry
from evaluation.common.saving.native import Saved, import_native
from evaluation.exports.read.run_changes import NATIVE, FileRun
from evaluation.exports.read.runs import GROUPS, JUDGEMENTS, SETTINGS
from evaluation.exports.write.marks import add_marks
from evaluation.models import Judgement, Model, Run
from evaluation.models.run import PROTOCOL
from evaluation.schema import Severity
from evaluation.scoring.settings import change_settings
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

ONLY_THERE = {"other-text", "judges-asked", "said-here", "no-such-answer"}
"""Rules that leave out a judgment: of an answer that is another one now, or while judges are asked."""
FOLDER = "runs of a portable file"
"""The name of the import in the history of imports."""


def add_runs(
    *, actor: User | None, benchmark: Benchmark, file: Reader, runs: Collection[FileRun], without: Collection[str] = ()
) -> dict[str, int]:
    """Add runs that the benchmark does not have, with their uid, people and times. ``without``: samples whose rows are
    left out, because they have another image here. Call inside a transaction. Returns counts.

    Raises ``InvalidFileError`` for a row that can't be read, and ``Conflict`` if a lineage has such a step already.
    """
    if not runs:
        return {"runs": 0, "trajectories": 0}
    require(actor, benchmark, Right.IMPORT_RUNS)
    people = People(benchmark, file)
    _create(actor, benchmark, runs, people)
    try:
        saved = _import(actor, benchmark, file, runs, people, without)
    except ImportProblem as problem:
        raise Conflict(str(problem), code="unreadable_file") from problem
    if saved is not None:
        _refuse_invalid(saved.record)
    made = Run.objects.filter(benchmark=benchmark, uid__in=[one.uid for one in runs])
    for person, address in people.judges.items():
        Judgement.objects.filter(run__in=made, judge=address).update(person=person)
    named = {(one.model.name, one.setting): one for one in made.select_related("model")}
    marks = add_marks(benchmark, file, named, people.of, without)
    counts = {"runs": len(runs), "trajectories": saved.counts.get("trajectories", 0) if saved else 0, **marks}
    data = {"checksum": file.manifest.checksum, **counts} | ({"import": saved.record.pk} if saved else {})
    audit.record(actor=actor, action="import.project_runs", subject=benchmark, benchmark=benchmark.slug, data=data)
    return counts


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


def _create(actor: User | None, benchmark: Benchmark, runs: Iterable[FileRun], people: People) -> None:
    """The runs without trajectories, which the import then fills. They get letters in the order of the file."""
    registry = RunRegistry(benchmark, actor, samples={})
    for one in runs:
        Model.objects.get_or_create(name=one.model, defaults={"baseline": one.baseline})
        made = registry.run(one.model, one.setting)
        author = people.of(one.line, "created_by")
        values: dict[str, Any] = {"uid": one.uid, "note": one.note, "created_by": author}
        values |= {"created_at": one.created_at}
        if one.protocols:
            values["extra"] = {**made.extra, PROTOCOL: one.protocols}
        Run.everything.filter(pk=made.pk).update(**values)


def _import(
    actor: User | None,
    benchmark: Benchmark,
    file: Reader,
    runs: Iterable[FileRun],
    people: People,
    without: Collection[str],
) -> Saved | None:
    """Write the rows of these runs as a folder of the native format, and import it. Rows that are left out stay blank
    lines, so that issues name the lines of the file. None if the runs have no row."""
    written = 0
    wanted = {(one.model, one.setting) for one in runs}
    known = set(benchmark.rollout_groups.values_list("group_id", flat=True))
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / FOLDER
        folder.mkdir()
        for table, native in NATIVE.items():
            with (folder / f"{native}.jsonl").open("wb") as out:
                for line in file.lines(table):
                    row = dict(line.row)
                    if table == GROUPS:
                        left_out = row.get("group_id") in known or not _is_of(row, wanted)
                    else:
                        left_out = (row["model"], row.get("setting") or "") not in wanted or row["sample_id"] in without
                    if not left_out and table == JUDGEMENTS and (judge := people.judge(line)) is not None:
                        row = {name: value for name, value in row.items() if name != "person"} | {"judge": judge.email}
                    out.write(b"\n" if left_out else line_of(row))
                    written += not left_out
        return import_native(actor, benchmark, folder) if written else None


def _is_of(group: Mapping[str, Any], runs: Collection[tuple[str, str]]) -> bool:
    """Whether a rollout group names one of these runs, or no model."""
    model, setting = group.get("model"), group.get("setting")
    return model is None or any(model == one and setting in (None, other) for one, other in runs)


def _refuse_invalid(record: ImportRecord) -> None:
    """A damaged file is rejected as a whole."""
    refused = record.issues.filter(severity=Severity.REFUSED.value).exclude(rule__in=ONLY_THERE)
    if (issue := refused.order_by("pk").first()) is not None:
        table = {native: table for table, native in NATIVE.items()}.get(Path(issue.file).stem, "")
        place = f"tables/{table}.jsonl, line {issue.line}"
        raise InvalidFileError(f"{place}: {issue.field} has no valid value. {issue.done}")
