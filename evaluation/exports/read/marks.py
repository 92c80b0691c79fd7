"""What people left on the trajectories of a run, as rows of a portable file: notes, shared tags and failures.

Each row names its trajectory, and the person by their number in the file. Private tags belong to one person and are in
no file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from django.db.models import QuerySet

from annotation.project_file import Line
from evaluation.metrics.failures import FAILURES, NO_FAILURE
from evaluation.models import FailureLabel, Note, Run, Tagging, Trajectory
from webapp.common.ordering import by_code_points

BATCH = 1000
NOTES, TAGS, FAILED = "notes", "tags", "failures"
MARKS = (NOTES, TAGS, FAILED)
BOX = ("x1", "y1", "x2", "y2")
NO_NAME = "none"
"""How a file names the failure of a trajectory that has none."""
AUTHORS: Mapping[str, str] = {NOTES: "author", TAGS: "by", FAILED: "person"}
LONGEST_TAG, LONGEST_NOTE = 60, 100_000
RESERVED = ("none", "any")
"""Words of the query language that are no names of tags."""
Row = dict[str, Any]
Key = tuple[str, str, str, int, str]
"""Model, setting, sample, rollout and condition of a trajectory."""
PLACE = ("run__model__name", "run__setting", "sample__key", "rollout", "condition")


def marks_of(runs: Any) -> dict[str, QuerySet[Any]]:
    """The marks on trajectories of these runs, by table, in the order of the file."""
    found: dict[str, QuerySet[Any]] = {
        NOTES: Note.objects.filter(trajectory__run__in=runs),
        TAGS: Tagging.objects.filter(trajectory__run__in=runs, tag__owner=None),
        FAILED: FailureLabel.objects.filter(trajectory__run__in=runs),
    }
    place = (by_code_points("trajectory__sample__key"), "trajectory__rollout", by_code_points("trajectory__condition"))
    of = ("trajectory__run__model", "trajectory__sample")
    return {
        name: rows.filter(trajectory__sample__removed_from=None)
        .select_related(*of, *(("tag",) if name == TAGS else ()))
        .order_by(*place, *((by_code_points("tag__name"),) if name == TAGS else ("pk",)))
        for name, rows in found.items()
    }


def mark_rows(table: str, rows: QuerySet[Any], people: Mapping[int, int]) -> Iterator[Row]:
    makes: Mapping[str, Callable[[Any], Row]] = {NOTES: _note, TAGS: _tag, FAILED: _failure}
    for row in rows.iterator(chunk_size=BATCH):
        one, author = row.trajectory, getattr(row, f"{AUTHORS[table]}_id")
        found: Row = {
            "model": one.run.model.name, "setting": one.run.setting, "sample_id": one.sample.key,
            "rollout": one.rollout, "condition": one.condition, **makes[table](row),
        }  # fmt: skip
        yield found | ({} if author is None else {"person": people[author]})


def _note(row: Note) -> Row:
    found: Row = {"text": row.text, "created_at": row.created_at}
    if row.turn is not None:
        found["turn"] = row.turn
    return found if row.x1 is None else found | {"box": [getattr(row, name) for name in BOX]}


def _tag(row: Tagging) -> Row:
    return {"tag": row.tag.name, "at": row.at}


def _failure(row: FailureLabel) -> Row:
    name = NO_NAME if row.failure == NO_FAILURE else FAILURES[row.failure]
    return {"failure": name, "current": row.current, "at": row.at}


def trajectories_at(runs: Mapping[tuple[str, str], Run], keys: Collection[Key]) -> dict[Key, int]:
    """The trajectories of these runs by key, and more of the same samples. One query."""
    found = Trajectory.objects.filter(
        run__in={runs[key[:2]].pk for key in keys}, sample__key__in={key[2] for key in keys}
    )
    return {row[:5]: row[5] for row in found.values_list(*PLACE, "pk").iterator()}


def key_in(line: Line) -> Key:
    rollout = line.row.get("rollout")
    if isinstance(rollout, bool) or not isinstance(rollout, int):
        raise line.error("rollout")
    return line.text("model"), line.text("setting", default=""), line.text("sample_id"), rollout, line.text("condition")


def note_in(line: Line) -> tuple[Any, ...]:
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


def tag_in(line: Line) -> tuple[Any, ...]:
    """Name and time."""
    name = line.text("tag")
    if not name or len(name) > LONGEST_TAG or name in RESERVED:
        raise line.error("tag")
    return name, line.moment("at")


def failure_in(line: Line) -> tuple[Any, ...]:
    """Code, whether it counts, and time."""
    name, current = line.text("failure"), line.row.get("current")
    if name != NO_NAME and name not in FAILURES:
        raise line.error("failure")
    if not isinstance(current, bool):
        raise line.error("current")
    return NO_FAILURE if name == NO_NAME else FAILURES.index(name), current, line.moment("at")


VALUES: Mapping[str, Callable[[Line], tuple[Any, ...]]] = {NOTES: note_in, TAGS: tag_in, FAILED: failure_in}
"""How the values of a line are read. They raise ``InvalidFileError``."""
