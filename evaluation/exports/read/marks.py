"""What people left on the trajectories of a run, as rows of a portable file: notes, shared tags and failures.

Each row names its trajectory, and the person by their number in the file. Private tags belong to one person and are in
no file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.db.models import QuerySet

from evaluation.metrics.failures import FAILURES, NO_FAILURE
from evaluation.models import FailureLabel, Note, Tagging
from webapp.common.ordering import by_code_points

BATCH = 1000
NOTES, TAGS, FAILED = "notes", "tags", "failures"
MARKS = (NOTES, TAGS, FAILED)
BOX = ("x1", "y1", "x2", "y2")
NO_NAME = "none"
"""How a file names the failure of a trajectory that has none."""
AUTHORS: Mapping[str, str] = {NOTES: "author", TAGS: "by", FAILED: "person"}
Row = dict[str, Any]


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
