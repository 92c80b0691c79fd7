"""What people put on trajectories outlives an import: a record that changed is written anew, its marks move along."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from evaluation.models import FailureLabel, Note, Tagging

MARKED = (Tagging, Note, FailureLabel)
Marks = list[tuple[Any, list[Any]]]


def take_marks(trajectories: Collection[int]) -> Marks:
    """Tags, notes and failures on trajectories that are about to be deleted. Three queries, none without any."""
    if not trajectories:
        return []
    return [(model, list(model.objects.filter(trajectory__in=trajectories))) for model in MARKED]


def put_back(marks: Marks, new: Mapping[int, int]) -> None:
    """The marks on what stands in place of the old: old number -> new number. Call in the same transaction."""
    for model, rows in marks:
        for row in rows:
            row.pk, row.trajectory_id = None, new[row.trajectory_id]
        times = {
            field: [getattr(row, field) for row in rows] for field in ("at", "created_at") if hasattr(model, field)
        }
        model.objects.bulk_create(rows)
        for field, given in times.items():
            for row, at in zip(rows, given, strict=True):
                setattr(row, field, at)
            model.objects.bulk_update(rows, [field])
