"""Adding the notes, shared tags and failures of a portable file to the trajectories of the runs that it brought."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from annotation.models import Benchmark
from annotation.project_file import InvalidFileError, Line, Reader
from evaluation.common.saving.native import key_hash
from evaluation.exports.read.marks import BOX, FAILED, NO_NAME, NOTES, TAGS
from evaluation.metrics.failures import FAILURES, NO_FAILURE
from evaluation.models import FailureLabel, Note, Run, Tag, Tagging, Trajectory
from webapp.common.bulk import insert_rows, reserve_ids

AT_ONCE = 1000
LONGEST_TAG, LONGEST_NOTE = 60, 100_000
RESERVED = ("none", "any")
"""Words of the query language that are no names of tags."""
Person = Callable[[Line, str], Any]
Key = tuple[str, str, str, int, str]
"""Model, setting, sample, rollout and condition of a trajectory."""


Insert = Callable[[Benchmark, list[tuple[Line, int]], Person], None]


def add_marks(
    benchmark: Benchmark, file: Reader, runs: Mapping[tuple[str, str], Run], person: Person, without: Collection[str]
) -> dict[str, int]:
    """Add the marks on trajectories of ``runs`` with their people and times. No one is notified. ``without``: samples
    whose trajectories were left out. Raises ``InvalidFileError``. Call inside a transaction."""
    counts = {}
    for table, (_, insert) in TABLES.items():
        wanted = _lines(file, table, runs, without)
        counts[table] = 0
        while some := list(islice(wanted, AT_ONCE)):
            insert(benchmark, list(_on_trajectories(some, runs)), person)
            counts[table] += len(some)
    return counts


def check_marks(
    file: Reader,
    runs: Collection[tuple[str, str]],
    person: Person,
    without: Collection[str],
    trajectories: Collection[int],
) -> None:
    """Check all that ``add_marks`` reads. ``trajectories``: the ``key_hash`` of each. Raises ``InvalidFileError``."""
    for table, (values, _) in TABLES.items():
        for line in _lines(file, table, runs, without):
            if key_hash(*_key(line)) not in trajectories:
                raise _unknown(line)
            values(line)
            person(line, "person")


def _lines(file: Reader, table: str, runs: Collection[tuple[str, str]], without: Collection[str]) -> Iterator[Line]:
    for line in file.lines(table):
        if (line.row["model"], line.row.get("setting") or "") in runs and line.row["sample_id"] not in without:
            yield line


def _on_trajectories(lines: Iterable[Line], runs: Mapping[tuple[str, str], Run]) -> Iterator[tuple[Line, int]]:
    """Each line with its trajectory. One query."""
    keys = [(line, _key(line)) for line in lines]
    found = Trajectory.objects.filter(
        run__in={runs[key[:2]].pk for _, key in keys}, sample__key__in={key[2] for _, key in keys}
    )
    names = ("run__model__name", "run__setting", "sample__key", "rollout", "condition", "pk")
    there: dict[Key, int] = {row[:5]: row[5] for row in found.values_list(*names).iterator()}
    for line, key in keys:
        if key not in there:
            raise _unknown(line)
        yield line, there[key]


def _unknown(line: Line) -> InvalidFileError:
    return line.error("sample_id", "names, with rollout and condition, a trajectory that the file does not have")


def _key(line: Line) -> Key:
    rollout = line.row.get("rollout")
    if isinstance(rollout, bool) or not isinstance(rollout, int):
        raise line.error("rollout")
    return line.text("model"), line.text("setting", default=""), line.text("sample_id"), rollout, line.text("condition")


def _note_in(line: Line) -> tuple[Any, ...]:
    """Turn, box, text and time."""
    text, turn = line.text("text"), line.row.get("turn")
    if not text or len(text) > LONGEST_NOTE:
        raise line.error("text")
    if turn is not None and (isinstance(turn, bool) or not isinstance(turn, int) or not 1 <= turn < 2**31):
        raise line.error("turn")
    return turn, *_box(line), text, line.moment("created_at")


def _box(line: Line) -> tuple[float | None, ...]:
    box = line.row.get("box")
    if box is None:
        return (None,) * 4
    valid = isinstance(box, list) and len(box) == 4 and all(_is_number(one) for one in box)
    if not valid or not (box[0] < box[2] and box[1] < box[3]):
        raise line.error("box")
    return tuple(map(float, box))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _tag_in(line: Line) -> tuple[Any, ...]:
    """Name and time."""
    name = line.text("tag")
    if not name or len(name) > LONGEST_TAG or name in RESERVED:
        raise line.error("tag")
    return name, line.moment("at")


def _failure_in(line: Line) -> tuple[Any, ...]:
    """Code, whether it counts, and time."""
    name, current = line.text("failure"), line.row.get("current")
    if name != NO_NAME and name not in FAILURES:
        raise line.error("failure")
    if not isinstance(current, bool):
        raise line.error("current")
    return NO_FAILURE if name == NO_NAME else FAILURES.index(name), current, line.moment("at")


def _insert_notes(benchmark: Benchmark, lines: list[tuple[Line, int]], person: Person) -> None:
    rows = [
        (pk, trajectory, _pk(person, line), *_note_in(line))
        for (line, trajectory), pk in zip(lines, reserve_ids(Note, len(lines)), strict=True)
    ]
    insert_rows(Note, ("id", "trajectory", "author", "turn", *BOX, "text", "created_at"), rows)


def _insert_tags(benchmark: Benchmark, lines: list[tuple[Line, int]], person: Person) -> None:
    rows = []
    for (line, trajectory), pk in zip(lines, reserve_ids(Tagging, len(lines)), strict=True):
        name, at = _tag_in(line)
        tag, _ = Tag.objects.get_or_create(benchmark=benchmark, name=name, owner=None)
        rows.append((pk, tag.pk, trajectory, _pk(person, line), at))
    insert_rows(Tagging, ("id", "tag", "trajectory", "by", "at"), rows)


def _insert_failures(benchmark: Benchmark, lines: list[tuple[Line, int]], person: Person) -> None:
    rows = [
        (pk, benchmark.pk, trajectory, _pk(person, line), *_failure_in(line))
        for (line, trajectory), pk in zip(lines, reserve_ids(FailureLabel, len(lines)), strict=True)
    ]
    insert_rows(FailureLabel, ("id", "benchmark", "trajectory", "person", "failure", "current", "at"), rows)


def _pk(person: Person, line: Line) -> int | None:
    found = person(line, "person")
    return None if found is None else int(found.pk)


TABLES: Mapping[str, tuple[Callable[[Line], tuple[Any, ...]], Insert]] = {
    NOTES: (_note_in, _insert_notes), TAGS: (_tag_in, _insert_tags), FAILED: (_failure_in, _insert_failures),
}  # fmt: skip
"""How the values of a line are read, and how lines are saved."""
