"""Marks of people on trajectories outlive an import: a changed record is written again, and its marks move to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from evaluation.common.judging.digests import judged_digests
from evaluation.models import FailureLabel, Judgement, Note, Tagging, Trajectory

MARKED = (Tagging, Note, FailureLabel, Judgement)
Marks = list[tuple[Any, list[Any]]]


def collect_user_marks(trajectories: Collection[int]) -> Marks:
    """Tags, notes, failures, and what people said in judging, on trajectories that are about to be deleted. Four
    queries, none without any."""
    if not trajectories:
        return []
    return [(model, list(model.objects.filter(trajectory__in=trajectories))) for model in MARKED]


def restore_user_marks(marks: Marks, new: Mapping[int, int]) -> None:
    """Move the marks of replaced trajectories, including those on steps: old id -> new id.

    A judgment is kept only if its subject is the same. Call in the same transaction."""
    for model, rows in marks:
        for row in rows:
            row.pk, row.trajectory_id = None, new[row.trajectory_id]
        if model is Judgement:
            rows = _of_the_same(rows)
        times = {
            field: [getattr(row, field) for row in rows] for field in ("at", "created_at") if hasattr(model, field)
        }
        model.objects.bulk_create(rows)
        for field, given in times.items():
            for row, at in zip(rows, given, strict=True):
                setattr(row, field, at)
            model.objects.bulk_update(rows, [field])


def _of_the_same(rows: list[Judgement]) -> list[Judgement]:
    """Return the judgments about the current texts and boxes, assigned to the current run."""
    kinds = {row.kind for row in rows}
    now = {kind: judged_digests(kind, [row.trajectory_id or 0 for row in rows if row.kind == kind]) for kind in kinds}
    kept = [row for row in rows if row.text_digest == now[row.kind][row.trajectory_id or 0]]
    runs = dict(Trajectory.objects.filter(pk__in=[row.trajectory_id for row in kept]).values_list("pk", "run_id"))
    for row in kept:
        row.run_id = runs[row.trajectory_id or 0]
    return _beside_what_came(kept)


def _beside_what_came(rows: list[Judgement]) -> list[Judgement]:
    """Return the judgments that the new trajectories don't contain. A judgment that a person made here stays in its
    place."""
    came = {_place(one): one.pk for one in Judgement.objects.filter(trajectory__in=[row.trajectory_id for row in rows])}
    mine = [row for row in rows if row.person_id or _place(row) not in came]
    Judgement.objects.filter(pk__in=[came[_place(row)] for row in mine if _place(row) in came]).delete()
    return mine


def _place(row: Judgement) -> tuple[Any, ...]:
    """Return the identity of a judgment on a trajectory: a decision, or a judge and a kind."""
    return row.trajectory_id, row.decides, *(() if row.decides else (row.kind, row.judge))
