"""Adding the notes, shared tags, failures and judgments of a portable file to trajectories."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from annotation.models import Benchmark, Sample
from annotation.project_file import InvalidFileError, Line, Reader
from evaluation.common.saving.native import key_hash
from evaluation.exports.read.marks import (
    BOX,
    FAILED,
    NOTES,
    TAGS,
    VALUES,
    failure_in,
    key_in,
    note_in,
    tag_in,
    trajectories_at,
)
from evaluation.exports.read.new_marks import judgements_in, key_of
from evaluation.exports.read.runs import JUDGEMENTS
from evaluation.models import FailureLabel, Judgement, Note, Run, Scoring, Tag, Tagging
from webapp.common.bulk import insert_rows, reserve_ids

AT_ONCE = 1000
Person = Callable[[Line, str], Any]
Insert = Callable[[Benchmark, list[tuple[Line, int]], Person], None]
Runs = Mapping[tuple[str, str], Run]
"""By model and setting."""


def add_marks(
    benchmark: Benchmark, file: Reader, runs: Runs, person: Person, without: Collection[str]
) -> dict[str, int]:
    """Add the marks on trajectories of ``runs`` with their people and times. No one is notified. ``without``: samples
    whose trajectories were left out. Raises ``InvalidFileError``. Call inside a transaction."""
    return {table: _add(table, benchmark, runs, person, _lines(file, table, runs, without)) for table in INSERTS}


def add_lines(
    benchmark: Benchmark, file: Reader, runs: Runs, person: Person, lines: Mapping[str, Collection[int]]
) -> dict[str, int]:
    """Add the marks and judgments with these line numbers, by table. As ``add_marks``."""
    counts = {}
    for table in INSERTS:
        numbers = lines.get(table, ())
        counts[table] = _add(table, benchmark, runs, person, _numbered(file, table, numbers))
    return counts | {JUDGEMENTS: _add_judgements(benchmark, file, runs, person, lines.get(JUDGEMENTS, ()))}


def _numbered(file: Reader, table: str, numbers: Collection[int]) -> Iterator[Line]:
    return (line for line in file.lines(table) if line.number in numbers)


def _add(table: str, benchmark: Benchmark, runs: Runs, person: Person, wanted: Iterator[Line]) -> int:
    count = 0
    while some := list(islice(wanted, AT_ONCE)):
        INSERTS[table](benchmark, list(_on_trajectories(some, runs)), person)
        count += len(some)
    return count


def _add_judgements(benchmark: Benchmark, file: Reader, runs: Runs, person: Person, numbers: Collection[int]) -> int:
    """Judgments in the names of placeholders, and of judge models. Their runs are scored again."""
    if not numbers:
        return 0
    wanted = ((line, one) for line, one in judgements_in(file, runs) if line.number in numbers)
    samples = dict(Sample.objects.filter(benchmark=benchmark).values_list("key", "pk"))
    touched = set[int]()
    while some := list(islice(wanted, AT_ONCE)):
        there = trajectories_at(runs, [key for _, one in some if (key := key_of(one)) is not None])
        rows = []
        for line, one in some:
            run, by, about, key = runs[one.model, one.setting], person(line, "person"), one.about, key_of(one)
            row = Judgement(
                run=run, sample_id=samples[one.sample_id], kind=one.kind.value, person=by,
                judge=by.email if by else one.judge, verdict=one.verdict, answer=one.answer, extra=dict(one.extra),
                trajectory_id=there[key] if key else None,
            )  # fmt: skip
            if about is not None:
                row.decides, row.text_digest, row.key_digest = about.decides, about.text_digest, about.key_digest
            rows.append(row)
            touched.add(run.pk)
        Judgement.objects.bulk_create(rows)
    Scoring.objects.filter(run__in=touched).update(stale=True)
    return len(numbers)


def check_marks(
    file: Reader,
    runs: Collection[tuple[str, str]],
    person: Person,
    without: Collection[str],
    trajectories: Collection[int],
) -> None:
    """Check all that ``add_marks`` reads. ``trajectories``: the ``key_hash`` of each. Raises ``InvalidFileError``."""
    for table, values in VALUES.items():
        for line in _lines(file, table, runs, without):
            if key_hash(*key_in(line)) not in trajectories:
                raise _unknown(line)
            values(line)
            person(line, "person")


def _lines(file: Reader, table: str, runs: Collection[tuple[str, str]], without: Collection[str]) -> Iterator[Line]:
    for line in file.lines(table):
        if (line.row["model"], line.row.get("setting") or "") in runs and line.row["sample_id"] not in without:
            yield line


def _on_trajectories(lines: Iterable[Line], runs: Runs) -> Iterator[tuple[Line, int]]:
    """Each line with its trajectory. One query."""
    keys = [(line, key_in(line)) for line in lines]
    there = trajectories_at(runs, [key for _, key in keys])
    for line, key in keys:
        if key not in there:
            raise _unknown(line)
        yield line, there[key]


def _unknown(line: Line) -> InvalidFileError:
    return line.error("sample_id", "names, with rollout and condition, a trajectory that the file does not have")


def _insert_notes(benchmark: Benchmark, lines: list[tuple[Line, int]], person: Person) -> None:
    rows = [
        (pk, trajectory, _pk(person, line), *note_in(line))
        for (line, trajectory), pk in zip(lines, reserve_ids(Note, len(lines)), strict=True)
    ]
    insert_rows(Note, ("id", "trajectory", "author", "turn", *BOX, "text", "created_at"), rows)


def _insert_tags(benchmark: Benchmark, lines: list[tuple[Line, int]], person: Person) -> None:
    rows = []
    for (line, trajectory), pk in zip(lines, reserve_ids(Tagging, len(lines)), strict=True):
        name, at = tag_in(line)
        tag, _ = Tag.objects.get_or_create(benchmark=benchmark, name=name, owner=None)
        rows.append((pk, tag.pk, trajectory, _pk(person, line), at))
    insert_rows(Tagging, ("id", "tag", "trajectory", "by", "at"), rows)


def _insert_failures(benchmark: Benchmark, lines: list[tuple[Line, int]], person: Person) -> None:
    rows = [
        (pk, benchmark.pk, trajectory, _pk(person, line), *failure_in(line))
        for (line, trajectory), pk in zip(lines, reserve_ids(FailureLabel, len(lines)), strict=True)
    ]
    insert_rows(FailureLabel, ("id", "benchmark", "trajectory", "person", "failure", "current", "at"), rows)


def _pk(person: Person, line: Line) -> int | None:
    found = person(line, "person")
    return None if found is None else int(found.pk)


INSERTS: Mapping[str, Insert] = {NOTES: _insert_notes, TAGS: _insert_tags, FAILED: _insert_failures}
