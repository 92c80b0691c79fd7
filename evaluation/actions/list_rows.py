"""The rows of a list of trajectories as plain facts: the same for its file and for the command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.actions.list_shown import SHOWABLE, Read, read_with, values_of
from evaluation.actions.read_marks import said_by, tags_on
from evaluation.metrics.columns import Outcome, Quadrant
from evaluation.metrics.failures import FAILURES
from evaluation.models import FailureLabel, Run, Trajectory

CHUNK = 500
"""Trajectories that are read together, in three queries."""
_READ = {
    "id": "pk", "sample": "sample__key", "run": "run_id", "condition": "condition", "rollout": "rollout",
    "correct": "score__correct", "undecided": "score__undecided", "unread": "score__unread",
    "unanswered": "score__missing_answer", "quadrant": "score__quadrant",
    "coverage": "score__coverage", "union_coverage": "score__union_coverage",
    "concentration": "score__concentration", "ioa": "score__ioa",
    "calls": "score__calls", "plan_outcome": "score__plan_outcome", "failure": "score__failure",
    "question": "sample__gold__revision__question", "options": "sample__gold__revision__options",
    "gold": "sample__gold__revision__answers", "letter": "score__letter", "answer": "answer", "plan": "plan",
    "error": "error",
}  # fmt: skip
_NAMED = {"quadrant": Quadrant.NAMES, "plan_outcome": Outcome.NAMES, "failure": FAILURES}
LIST_COLUMNS = (*_READ, "failure_said_by", "tags")
"""What a row says. ``failure`` is the one in force, ``failure_said_by`` who says so, None the rule, without names of
people for visitors; ``tags`` are those
that the person sees. What is not scored or not defined is None."""


def column_of(field: str) -> str:
    """The column that says what a field does."""
    return next((column for column, path in _READ.items() if path == SHOWABLE.get(field)), field)


def columns_with(shown: Sequence[str]) -> tuple[str, ...]:
    """The columns of a list whose rows show these fields: those of every list, then what is in none of them."""
    return tuple(dict.fromkeys((*LIST_COLUMNS, *map(column_of, shown))))


def list_rows(
    pks: Sequence[int], runs: Sequence[Run], person: Any = None, columns: Sequence[str] = LIST_COLUMNS, *, named: bool
) -> Iterator[dict[str, Any]]:
    """One row for each of these trajectories of these runs, in this order; one that has gone meanwhile is left out.
    ``columns``: those of ``columns_with``. ``named``: the person may know who corrected a failure."""
    names = {run.pk: str(run) for run in runs}
    for first in range(0, len(pks), CHUNK):
        yield from _rows(pks[first : first + CHUNK], names, person, columns[len(LIST_COLUMNS) :], named)


def _rows(
    pks: Sequence[int], names: dict[int, str], person: Any, more: Sequence[str], named: bool
) -> Iterator[dict[str, Any]]:
    own = len(_READ)
    with_more = Trajectory.objects.filter(pk__in=pks).order_by().annotate(**read_with(more))
    read = list(with_more.values_list(*_READ.values(), "sample_id", *read_with(more)))
    found = {values[0]: dict(zip(_READ, values[:own], strict=True)) for values in read}
    shown = values_of({values[0]: Read(values[own], values[own + 1 :]) for values in read}, more)
    labels = FailureLabel.objects.filter(trajectory__in=pks, current=True).select_related("person")
    said, tags = {label.trajectory_id: label for label in labels}, tags_on(pks, person)
    for row in (found[pk] for pk in pks if pk in found):
        label = said.get(row["id"])
        if label:
            row["failure"] = label.failure
        for name, words in _NAMED.items():
            code = row[name]
            row[name] = None if code is None or code < 0 else words[code]
        yield row | {
            "run": names[row["run"]],
            "failure_said_by": said_by(label, named=named) if label else None,
            "tags": tags.get(row["id"], []),
            **shown[row["id"]],
        }
