"""The rows of a list of trajectories as plain facts: the same for its file and for the command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.common.shown import SHOWABLE, values_of
from evaluation.models import FailureLabel, Trajectory
from evaluation.store.rows import read_rows
from evaluation.store.snapshot import Snapshot
from evaluation.trajectories.read.marks import said_by, tags_on

CHUNK = 2000
"""Trajectories that are read together, in three queries."""
_RECORDED = {
    "id": "pk", "sample": "sample__key", "run": "run_id", "condition": "condition", "rollout": "rollout",
    "question": "sample__gold__revision__question", "options": "sample__gold__revision__options",
    "gold": "sample__gold__revision__answers", "answer": "answer", "plan": "plan", "error": "error",
}  # fmt: skip
_STORED = {
    "correct": "CASE verdict WHEN 'yes' THEN TRUE WHEN 'no' THEN FALSE END", "undecided": "undecided",
    "unread": "unread", "unanswered": "unanswered", "quadrant": "quadrant", "coverage": "coverage",
    "union_coverage": "union_coverage", "concentration": "concentration", "ioa": "ioa", "calls": "calls",
    "plan_outcome": "outcome", "failure": "failure", "letter": "CASE WHEN scored THEN coalesce(reading, '') END",
}  # fmt: skip
LIST_COLUMNS = (
    "id", "sample", "run", "condition", "rollout", "correct", "undecided", "unread", "unanswered", "quadrant",
    "coverage", "union_coverage", "concentration", "ioa", "calls", "plan_outcome", "failure", "question", "options",
    "gold", "letter", "answer", "plan", "error", "failure_said_by", "tags",
)  # fmt: skip
"""The values of a row.

``failure`` is the one in force. ``failure_said_by`` names who set it: None for the rule, without names of people for
visitors. ``tags`` are those that the person can see. Unscored and undefined values are None."""
_SAME = {"reading": "letter"}
"""Fields whose column has neither their name nor that of the store."""


def column_of(field: str) -> str:
    """The column that says what a field does."""
    return _SAME.get(field) or next((column for column, sql in _STORED.items() if sql == SHOWABLE.get(field)), field)


def columns_with(shown: Sequence[str]) -> tuple[str, ...]:
    """The columns of a list whose rows show these fields: those of every list, then what is in none of them."""
    return tuple(dict.fromkeys((*LIST_COLUMNS, *map(column_of, shown))))


def list_rows(
    snapshot: Snapshot, pks: Sequence[int], columns: Sequence[str] = LIST_COLUMNS, *, named: bool
) -> Iterator[dict[str, Any]]:
    """One row for each of these trajectories, in this order; one that has gone meanwhile is omitted. ``columns``:
    those of ``columns_with``. ``named``: the person may know who corrected a failure."""
    names = {run.pk: str(run) for run in snapshot.runs}
    for first in range(0, len(pks), CHUNK):
        yield from _rows(snapshot, pks[first : first + CHUNK], names, columns[len(LIST_COLUMNS) :], named)


def _rows(
    snapshot: Snapshot, pks: Sequence[int], names: dict[int, str], more: Sequence[str], named: bool
) -> Iterator[dict[str, Any]]:
    recorded = Trajectory.objects.filter(pk__in=pks).order_by().values_list(*_RECORDED.values())
    found = {values[0]: dict(zip(_RECORDED, values, strict=True)) for values in recorded}
    stored, shown = read_rows(snapshot, pks, _STORED), values_of(snapshot, pks, more)
    labels = FailureLabel.objects.filter(trajectory__in=pks, current=True).select_related("person")
    said, tags = {label.trajectory_id: label for label in labels}, tags_on(pks, snapshot.person)
    for pk in pks:
        if pk in found and pk in stored:
            row = found[pk] | stored[pk]
            row["run"] = names[row["run"]]
            row["failure_said_by"] = said_by(said[pk], named=named) if pk in said else None
            row["tags"] = tags.get(pk, [])
            yield {name: row[name] for name in LIST_COLUMNS} | shown[pk]
