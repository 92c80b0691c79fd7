"""The parts of trajectories from an import: trajectories that are entirely from it, and its list in joined ones."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import Exists, OuterRef

from annotation.models import ImportRecord
from evaluation.common.saving.batches import digest
from evaluation.models import ToolList, Trajectory
from evaluation.schema import Trajectory as TrajectoryRecord
from evaluation.schema import Usage

Imports = Collection[ImportRecord]
_SAID = ("answer", "judge_correct", "final_image", "error")
_USED = ("input_tokens", "output_tokens", "seconds", "usd")
_CHANGED = ("recognition", "recognition_map", "plan", "plan_map", "extra", "source", "line", "digest", "row_digest")


def whole_of(imports: Imports) -> Any:
    """The trajectories of these imports in which no other import has a list. Deleted runs stay in the trash."""
    others = ToolList.objects.filter(trajectory=OuterRef("pk")).exclude(source__in=imports)
    return Trajectory.objects.filter(source__in=imports, run__deleted_at=None).filter(~Exists(others))


def lists_of(imports: Imports) -> Any:
    """The lists of these imports in trajectories whose other list another import brought."""
    others = ToolList.objects.filter(trajectory=OuterRef("trajectory")).exclude(source__in=imports)
    return ToolList.objects.filter(source__in=imports, trajectory__run__deleted_at=None).filter(Exists(others))


def take_lists(numbers: Collection[int]) -> None:
    """Takes these lists out of their trajectories, which say again what the record of the other list said alone.

    Call in a transaction; what was made of the trajectories' runs is the caller's to forget.
    """
    gone = ToolList.objects.filter(pk__in=numbers).select_related("trajectory__run__model", "trajectory__sample")
    kept = {one.trajectory_id: one for one in ToolList.objects.exclude(pk__in=numbers).filter(
        trajectory__in=gone.values("trajectory")
    )}  # fmt: skip
    changed = []
    for one in gone:
        row, other = one.trajectory, kept[one.trajectory_id]
        setattr(row, one.name, None)
        setattr(row, f"{one.name}_map", {})
        row.extra, row.source_id, row.line, row.row_digest = other.extra, other.source_id, other.line, None
        row.digest = digest(_record(row))
        changed.append(row)
    Trajectory.objects.bulk_update(changed, _CHANGED)
    ToolList.objects.filter(trajectory__in=[row.pk for row in changed]).delete()


def _record(row: Trajectory) -> TrajectoryRecord:
    """Return the content of a trajectory with one list: such records have no steps."""
    return TrajectoryRecord(
        model=row.run.model.name,
        setting=row.run.setting,
        sample_id=row.sample.key,
        recognition=None if row.recognition is None else tuple(row.recognition),
        plan=None if row.plan is None else tuple(row.plan),
        recognition_map=row.recognition_map,
        plan_map=row.plan_map,
        extra=row.extra,
        usage=Usage(**{name: getattr(row, name) for name in _USED}),
        **{name: getattr(row, name) for name in _SAID},
    )
