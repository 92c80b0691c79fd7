"""Marks of a portable file on runs that a benchmark has: those that it lacks, and those that it has with another value.

A mark is the same on every server: a note by its trajectory and time, a tag by its trajectory and name, a failure by
its trajectory, a judgment by its trajectory, kind and judge. People are known by their uid, so pseudonyms are no
difference. A mark that differs is not changed.
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.models import Benchmark
from annotation.portable.read.discussion import known_by, people_in
from annotation.project_file import InvalidFileError, Line, Reader, line_of
from evaluation.common.judging.digests import judged_digests
from evaluation.common.judging.known import judgements_known_to, judges_are_asked
from evaluation.common.records import judgement_record
from evaluation.exports.read.marks import (
    BOX,
    FAILED,
    MARKS,
    NOTES,
    PLACE,
    TAGS,
    VALUES,
    Key,
    key_in,
    marks_of,
    trajectories_at,
)
from evaluation.exports.read.runs import JUDGEMENTS
from evaluation.importers import IMPORTERS
from evaluation.importers.interface import ReadOptions
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.models import Run
from evaluation.schema import Issue, Judgement, Severity
from webapp.accounts.models import User

MARKED = (*MARKS, JUDGEMENTS)
AT_ONCE = 1000
Name = tuple[str, str]
Here = dict[Hashable, set[Any]]
"""The values of the marks of the benchmark by what they are known by."""


@dataclass
class NewMarks:
    """Of one run. ``lines``: the numbers of the lines that the benchmark lacks, by table; ``differing``: how many marks
    have another value here."""

    lines: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    differing: Counter[str] = field(default_factory=Counter)

    def counts(self) -> dict[str, dict[str, int]]:
        """By table, without tables that have neither."""
        found = {table: {"added": len(self.lines[table]), "differ": self.differing[table]} for table in MARKED}
        return {table: one for table, one in found.items() if any(one.values())}

    def take(self, here: Here, line: Line, marks: Collection[Hashable], value: Any) -> None:
        """``marks``: what the mark is known by, any of which is enough; ``value`` None: it is compared with nothing."""
        known = [here[mark] for mark in marks if mark in here]
        if not known:
            self.lines[line.table].add(line.number)
        elif value is not None and not any(value in one for one in known):
            self.differing[line.table] += 1


def new_marks(
    actor: User | None, benchmark: Benchmark, file: Reader, runs: Mapping[Name, Run], tables: Collection[str]
) -> dict[Name, NewMarks]:
    """The marks of these tables on runs that are equal otherwise. Raises ``InvalidFileError``."""
    found = {name: NewMarks() for name in runs}
    if not runs:
        return found
    here = _marks_here(runs)
    for table in set(tables) & set(MARKS):
        for line in file.lines(table):
            key = key_in(line)
            if key[:2] in runs:
                mark, value = _mark(table, key, VALUES[table](line))
                found[key[:2]].take(here[table], line, [mark], value)
    if JUDGEMENTS in tables:
        _take_judgements(found, actor, benchmark, file, runs)
    return found


def _mark(table: str, key: Key, values: tuple[Any, ...]) -> tuple[Hashable, Any]:
    if table == NOTES:
        return (key, values[-1]), values[:-1]
    if table == TAGS:
        return (key, values[0]), ()
    code, current, _ = values
    return key, code if current else None


def _marks_here(runs: Mapping[Name, Run]) -> dict[str, Here]:
    found: dict[str, Here] = {table: defaultdict(set) for table in MARKS}
    rows = {table: rows.order_by() for table, rows in marks_of([run.pk for run in runs.values()]).items()}
    place = [f"trajectory__{name}" for name in PLACE]
    for *key, made, turn, x1, y1, x2, y2, text in rows[NOTES].values_list(*place, "created_at", "turn", *BOX, "text"):
        found[NOTES][tuple(key), made].add((turn, x1, y1, x2, y2, text))
    for *key, name in rows[TAGS].values_list(*place, "tag__name"):
        found[TAGS][tuple(key), name].add(())
    for *key, code, current in rows[FAILED].values_list(*place, "failure", "current"):
        found[FAILED][tuple(key)] |= {code} if current else set()
    return found


def _take_judgements(
    found: Mapping[Name, NewMarks], actor: User | None, benchmark: Benchmark, file: Reader, runs: Mapping[Name, Run]
) -> None:
    """Those about an answer that is another one now are left out, and decisions while judges are asked."""
    here, people, asked = _judgements_here(actor, benchmark, runs), people_in(file), judges_are_asked(benchmark)
    given = judgements_in(file, runs)
    while some := list(islice(given, AT_ONCE)):
        outdated = _outdated(runs, [one for _, one in some])
        for line, one in some:
            number = line.reference_or_none("person", len(people))
            judges = [("judge", one.judge)] if number is None else sorted(people[number - 1])
            decides, about = one.about is not None and one.about.decides, _about(one)
            if line.number in outdated or not judges or (decides and asked):
                continue
            marks: list[Hashable] = [(about, judge) for judge in judges]
            value = (one.verdict, one.answer)
            found[one.model, one.setting].take(here, line, [about] if decides else marks, value)


def _about(one: Judgement) -> Hashable:
    """The trajectory of a judgment and what was judged of it; of one without a trajectory, the sample."""
    at = key_of(one)
    digest = one.about.text_digest if one.about else ""
    return (
        at or (one.model, one.setting, one.sample_id),
        digest,
        bool(one.about and one.about.decides),
        one.kind.value,
    )


def key_of(one: Judgement) -> Key | None:
    about = one.about
    return None if about is None else (one.model, one.setting, one.sample_id, about.rollout, str(about.condition))


def _judgements_here(actor: User | None, benchmark: Benchmark, runs: Mapping[Name, Run]) -> Here:
    found: Here = defaultdict(set)
    rows = judgements_known_to(actor, benchmark).filter(run__in=[run.pk for run in runs.values()])
    rows = rows.select_related("run__model", "sample", "trajectory").defer("trajectory__answer", "trajectory__extra")
    people = known_by(benchmark, dict(rows.exclude(person=None).order_by().values_list("person", "person__email")))
    for row in rows.order_by().iterator(chunk_size=AT_ONCE):
        one = judgement_record(row)
        about, value = _about(one), (one.verdict, one.answer)
        for judge in people[row.person_id] if row.person_id else [("judge", one.judge)]:
            found[about, judge].add(value)
        if row.decides:
            found[about].add(value)
    return found


def _outdated(runs: Mapping[Name, Run], some: Collection[Judgement]) -> set[int | None]:
    """The lines of judgments about an answer that is here with another text, or not at all. A query for each kind, and
    one."""
    there = trajectories_at(runs, [key for one in some if (key := key_of(one)) is not None])
    kinds: dict[str, set[int]] = defaultdict(set)
    for one in some:
        key = key_of(one)
        if key is not None and key in there:
            kinds[one.kind.value].add(there[key])
    digests = {kind: judged_digests(kind, pks) for kind, pks in kinds.items()}
    found = set[int | None]()
    for one in some:
        key = key_of(one)
        if key is not None and one.about is not None:
            here = digests[one.kind.value][there[key]] if key in there else None
            found |= {one.line} if here != one.about.text_digest else set()
    return found


def judgements_in(file: Reader, runs: Collection[Name]) -> Iterator[tuple[Line, Judgement]]:
    """The judgments of these runs with their lines, read as the import reads them. Raises ``InvalidFileError``."""
    with tempfile.TemporaryDirectory() as folder:
        path, samples, any_row = Path(folder) / f"{JUDGEMENTS}.jsonl", set[str](), False
        with path.open("wb") as out:
            for line in file.lines(JUDGEMENTS):
                wanted = (line.row["model"], line.row.get("setting") or "") in runs
                row = {name: value for name, value in line.row.items() if name != "person"}
                out.write(line_of(row) if wanted else b"\n")
                samples |= {line.text("sample_id")} if wanted else set()
                any_row = any_row or wanted
        if not any_row:
            return
        lines = file.lines(JUDGEMENTS)
        for item in IMPORTERS["native"].read(Path(folder), ReadOptions(), MemoryIndex(map(SampleKey, samples))):
            if isinstance(item, Issue) and item.severity is Severity.REFUSED:
                raise InvalidFileError(
                    f"tables/{JUDGEMENTS}.jsonl, line {item.line}: {item.field} has no valid value. {item.done}"
                )
            if isinstance(item, Judgement):
                yield next(line for line in lines if line.number == item.line), item
