"""The calls of every run on one sample, as the page that aligns them reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.content.records import record_of
from evaluation.common.trajectory.read import Corners, corners_of
from evaluation.metrics.ragged import rows_of
from evaluation.metrics.records import sample_columns
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Step, Trajectory
from evaluation.scoring.load.columns import load_trajectories


@dataclass(frozen=True, slots=True)
class Call:
    """A call that counts. ``effective``: it is on the effective toolchain; ``crop``: in original pixels, if it made
    one."""

    turn: int
    tool: str
    arguments: Mapping[str, Any]
    ok: bool
    effective: bool
    crop: Corners | None


def read_calls(trajectories: Sequence[Trajectory], sample: Any) -> dict[int, list[Call]]:
    """The calls of each of these on one sample, loaded ``with_gold``, by primary key. Three queries."""
    pks = [trajectory.pk for trajectory in trajectories]
    samples, loaded = (
        sample_columns([record_of(sample)]),
        load_trajectories(list(Trajectory.objects.filter(pk__in=pks))),
    )
    scores, run = score_run(samples, loaded.columns, MetricSettings()), loaded.columns
    rows = Step.objects.filter(trajectory__in=pks).values_list("trajectory_id", "position", "arguments")
    arguments = {(pk, position): given for pk, position, given in rows}
    found: dict[int, list[Call]] = {pk: [] for pk in pks}
    for place, (row, position) in enumerate(zip(rows_of(run.step_start).tolist(), loaded.positions, strict=True)):
        pk = loaded.pks[row]
        given = arguments.get((pk, int(position)))
        found[pk].append(
            Call(
                turn=int(position) + 1,
                tool=run.tools[int(run.steps.tool[place])],
                arguments=given if isinstance(given, dict) else {},
                ok=bool(run.steps.ok[place]),
                effective=bool(scores.effective[place]),
                crop=corners_of(scores.step_crops[place]),
            )
        )
    return found
