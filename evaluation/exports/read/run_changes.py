"""The runs of a portable file, and how they differ from those of another file or of a benchmark.

A run is the same on every server if its uid is. Two runs have the same content if all their rows are equal: their
trajectories, interventions and judgments in any order, and what the file says of the run itself.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from annotation.models import Benchmark
from annotation.portable.read.project import plain_row
from annotation.project_file import Kind, Line, Reader, line_of
from evaluation.exports.read.marks import MARKS
from evaluation.exports.read.new_marks import MARKED, NewMarks, new_marks
from evaluation.exports.read.runs import GROUPS, INTERVENTIONS, JUDGEMENTS, RUN, TRAJECTORIES, RunsInFile
from evaluation.models import Run
from webapp.accounts.models import User

LONGEST, LONGEST_NOTE, MOST_RUNS = 200, 100_000, 10_000
"""Of a model or setting, of a note, and the runs of a file."""
OF_RUN = ("model", "setting", "note", "protocols")
"""What two runs with one uid are compared by, besides their rows."""
NATIVE_NAMES = {TRAJECTORIES: "trajectories", INTERVENTIONS: "interventions", JUDGEMENTS: "judgements",
          GROUPS: "rollout_groups"}  # fmt: skip
"""Tables that the native importer reads, with its names."""
RESULTS = (*NATIVE_NAMES, *MARKS)
"""Tables with rows of runs. Judgments are not compared for a person who may not read all of them."""
WITHOUT_JUDGEMENTS = tuple(table for table in RESULTS if table != JUDGEMENTS)
Name = tuple[str, str]
"""Model and setting."""


@dataclass(slots=True)
class RunContent:
    """Counts and sums of the hashes of the rows of a run, by table."""

    rows: Counter[str] = field(default_factory=Counter)
    sums: dict[str, int] = field(default_factory=dict)

    def add(self, table: str, row: Mapping[str, Any]) -> None:
        # People have other numbers in another file.
        said = {key: value for key, value in row.items() if key not in ("person", "model", "setting")}
        digest = int.from_bytes(hashlib.sha256(line_of(said)).digest())
        self.rows[table] += 1
        self.sums[table] = (self.sums.get(table, 0) + digest) % (1 << 256)


@dataclass(frozen=True, slots=True)
class FileRun:
    """A run of a file. ``line``: its row in the table of runs."""

    uid: UUID
    model: str
    setting: str
    note: str
    created_at: datetime
    protocols: list[dict[str, Any]]
    baseline: bool
    line: Line
    content: RunContent

    def __str__(self) -> str:
        return f"{self.model}, {self.setting}" if self.setting else self.model


class RunKind(StrEnum):
    """What an update does with a run."""

    ADDED = "added"
    MARKED = "new marks"
    SAME = "equal"
    CHANGED = "differs"
    TAKEN = "another run has its name"
    TRASH = "in the trash"
    MISSING = "not in the file"


@dataclass(frozen=True, slots=True)
class RunEntry:
    """A run that a file and a benchmark do not share. ``fields``: what differs. ``here``, ``marks``: of a run that only
    has other marks, the run of the benchmark and which marks."""

    name: str
    kind: RunKind
    fields: tuple[str, ...] = ()
    run: FileRun | None = None
    here: Run | None = None
    marks: NewMarks | None = None


def has_runs(file: Reader) -> bool:
    return RUN in file.tables


def runs_in(file: Reader) -> list[FileRun]:
    """The runs of a file with sums over their rows, in one pass over each table. Raises ``InvalidFileError`` for an
    invalid value, or a row of a run or a sample that the file does not have."""
    keys = {line.text("key") for line in file.lines("sample")} if has_runs(file) else set()
    found: dict[Name, FileRun] = {}
    uids: set[UUID] = set()
    for line in file.lines(RUN):
        run = _run(line, file.tables.get("person", 0))
        if run.uid in uids:
            raise line.error("uid", "is that of another run")
        if (run.model, run.setting) in found:
            raise line.error("model", "is, with its setting, that of another run")
        if len(found) >= MOST_RUNS:
            raise line.error("uid", f"is one of more than {MOST_RUNS} runs")
        uids.add(run.uid)
        found[run.model, run.setting] = run
    for table in RESULTS:
        for line in file.lines(table):
            if table == GROUPS:
                group = found.get((str(line.row.get("model")), str(line.row.get("setting"))))
                if group is not None:
                    group.content.add(table, line.row)
                continue
            one = found.get((line.text("model"), line.text("setting", default="")))
            if one is None:
                raise line.error("model", "names, with its setting, a run that the file does not have")
            if line.text("sample_id") not in keys:
                raise line.error("sample_id", "names a sample that the file does not have")
            line.reference_or_none("person", file.tables.get("person", 0))
            one.content.add(table, line.row)
    return list(found.values())


def _run(line: Line, people: int) -> FileRun:
    try:
        uid = UUID(line.text("uid"))
    except ValueError as error:
        raise line.error("uid") from error
    model, setting, note = line.text("model"), line.text("setting", default=""), line.text("note", default="")
    for name, text, most in (("model", model, LONGEST), ("setting", setting, LONGEST), ("note", note, LONGEST_NOTE)):
        if len(text) > most or (name == "model" and not text):
            raise line.error(name)
    protocols, baseline = line.row.get("protocols", []), line.row.get("baseline", False)
    if not isinstance(protocols, list) or not all(isinstance(one, dict) for one in protocols):
        raise line.error("protocols")
    if not isinstance(baseline, bool):
        raise line.error("baseline")
    line.reference_or_none("created_by", people)
    made = line.moment("created_at")
    return FileRun(uid, model, setting, note, made, protocols, baseline, line, RunContent())


def plan_runs(actor: User | None, benchmark: Benchmark, file: Reader) -> list[RunEntry]:
    """What an update does with each run of a file, and the runs that only the benchmark has. None for a file without
    runs. Judgments are not compared while the actor judges some."""
    if not has_runs(file):
        return []
    here = {run.uid: run for run in Run.everything.filter(benchmark=benchmark, staged_for=None).select_related("model")}
    names = {(run.model.name, run.setting) for run in here.values() if run.deleted_at is None}
    ours, found = RunsInFile(benchmark, actor), []
    compared = RESULTS if ours.has_all_judgements() else WITHOUT_JUDGEMENTS
    in_file = runs_in(file)
    for one in in_file:
        run = here.get(one.uid)
        if run is None:
            kind = RunKind.TAKEN if (one.model, one.setting) in names else RunKind.ADDED
            found.append(RunEntry(str(one), kind, run=one))
        elif run.deleted_at is not None:
            found.append(RunEntry(str(one), RunKind.TRASH, run=one))
        else:
            fields = _fields(one, ours.run_row(run, {}), content_of(ours, run), compared)
            here_too = run if fields and set(fields) <= set(MARKED) else None
            found.append(RunEntry(str(one), RunKind.CHANGED if fields else RunKind.SAME, fields, one, here_too))
    found = _with_marks(actor, benchmark, file, found, compared)
    uids = {one.uid for one in in_file}
    missing = [run for run in ours.runs if run.uid not in uids]
    return found + [RunEntry(str(run), RunKind.MISSING) for run in missing]


def _with_marks(
    actor: User | None, benchmark: Benchmark, file: Reader, entries: Collection[RunEntry], tables: Collection[str]
) -> list[RunEntry]:
    """The entries, with the marks of the file on runs that are equal otherwise."""
    runs = {
        (one.run.model, one.run.setting): one.here for one in entries if one.run is not None and one.here is not None
    }
    marks, found = new_marks(actor, benchmark, file, runs, tables), []
    for one in entries:
        new = marks[one.run.model, one.run.setting] if one.run is not None and one.here is not None else None
        kind = RunKind.MARKED if new is not None and any(new.lines.values()) else one.kind
        found.append(replace(one, kind=kind, marks=new))
    return found


def content_of(ours: RunsInFile, run: Run) -> RunContent:
    found = RunContent()
    # Any number of a person will do: it is not compared.
    people = dict.fromkeys(ours.people(), 1)
    tables = {
        TRAJECTORIES: ours.trajectories(run), INTERVENTIONS: ours.interventions(run),
        JUDGEMENTS: ours.judgements(run, people), GROUPS: ours.groups(run),
        **{table: ours.marks(table, run, people) for table in MARKS},
    }  # fmt: skip
    for table, rows in tables.items():
        for row in rows:
            found.add(table, plain_row(row))
    return found


def _fields(
    one: FileRun, other: Mapping[str, Any], content: RunContent, tables: Iterable[str] = RESULTS
) -> tuple[str, ...]:
    own = {"model": one.model, "setting": one.setting, "note": one.note, "protocols": one.protocols}
    changed = [name for name in OF_RUN if own[name] != other[name]]
    return (*changed, *(table for table in tables if one.content.sums.get(table) != content.sums.get(table)))


@dataclass(frozen=True, slots=True)
class RunChange:
    """A run that two files do not have alike. ``fields``: what differs, empty where only one file has it."""

    name: str
    kind: Kind
    fields: tuple[str, ...] = ()

    def __str__(self) -> str:
        alone = {Kind.ADDED: "only in the second", Kind.REMOVED: "only in the first"}
        return f"run {self.name}: {alone.get(self.kind, ', '.join(self.fields))}"


def changes_of_runs(first: Reader, second: Reader, compared: Collection[str] = RESULTS) -> list[RunChange]:
    """The runs added, removed or changed between two files. ``compared``: the tables whose rows are compared."""
    before, after = ({one.uid: one for one in runs_in(file)} for file in (first, second))
    found = [RunChange(str(one), Kind.ADDED) for uid, one in after.items() if uid not in before]
    found += [RunChange(str(one), Kind.REMOVED) for uid, one in before.items() if uid not in after]
    for uid in before.keys() & after.keys():
        other = after[uid]
        said = {"model": other.model, "setting": other.setting, "note": other.note, "protocols": other.protocols}
        if fields := _fields(before[uid], said, other.content, compared):
            found.append(RunChange(str(before[uid]), Kind.CHANGED, fields))
    return sorted(found, key=lambda one: (one.name, one.kind))


def counted(entries: Iterable[RunEntry]) -> dict[str, int]:
    found = Counter(entry.kind for entry in entries)
    return {kind.value: found[kind] for kind in RunKind}


def as_json(entries: Iterable[RunEntry]) -> dict[str, Any]:
    """Counts of all kinds, and the runs that are not equal."""
    listed = list(entries)
    runs = [
        {
            "name": one.name, "kind": one.kind.value, "fields": list(one.fields),
            "trajectories": one.run.content.rows[TRAJECTORIES] if one.run else None,
            "marks": one.marks.counts() if one.marks else {},
        }
        for one in listed
        if one.kind is not RunKind.SAME
    ]  # fmt: skip
    return {"counts": counted(listed), "runs": runs}
