"""A stored trajectory run again through the toolbox. Nothing is written."""

from __future__ import annotations

from annotation.actions.chain_runs import original_of
from evaluation.models import Step as StepRow
from evaluation.models import Trajectory
from evaluation.replay.run import Replayed, replay
from evaluation.schema import Coordinates, Step

MOST_STEPS = 30
"""Steps run again at once; a longer trajectory is run again up to here."""


def replay_trajectory(trajectory: Trajectory) -> tuple[Replayed, ...]:
    """The first calls of the trajectory again, on the sample's picture. Raises ``Conflict`` where it is not here."""
    rows = StepRow.objects.filter(trajectory=trajectory).order_by("position").defer("text", "observation", "extra")
    return replay([_step(row) for row in rows[:MOST_STEPS]], original_of(trajectory.sample))


def _step(row: StepRow) -> Step:
    return Step(
        tool=row.tool,
        arguments=row.arguments,
        bbox=_box(row.x1, row.y1, row.x2, row.y2),
        executed_bbox=_box(row.executed_x1, row.executed_y1, row.executed_x2, row.executed_y2),
        coords=Coordinates(row.coords),
        image_in=tuple(row.image_in) if isinstance(row.image_in, list) else row.image_in,
        image_out=row.image_out,
        out_size=(row.out_width, row.out_height) if row.out_width and row.out_height else None,
        ok=row.ok,
    )


def _box(
    x1: float | None, y1: float | None, x2: float | None, y2: float | None
) -> tuple[float, float, float, float] | None:
    if x1 is None or y1 is None or x2 is None or y2 is None:
        return None
    return x1, y1, x2, y2
