"""Scored crops in pixels of the image that their sample has, also if another replaced it after the scoring."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.content.image_history import size_of
from evaluation.models import Run, Trajectory
from evaluation.scoring.load.images import Corners, earlier_images_on, image_at, on_present


def present_crops(trajectories: Sequence[Trajectory], runs: Sequence[Run]) -> dict[int, Corners]:
    """Return the scored crops of trajectories with their ``score``, by primary key, on the image that each sample has.
    Omitted: those without one, and those on an image that another shape replaced. One query if a sample changed after
    its run was scored. ``trajectories``: loaded with samples; ``runs``: theirs, loaded with scorings.
    """
    scored = {run.pk: run.scoring.computed_at for run in runs if hasattr(run, "scoring")}
    cropped = [one for one in trajectories if one.score is not None and one.score.crop is not None]
    changed = {one.sample_id for one in cropped if one.sample.changed_at > scored[one.run_id]}
    earlier = earlier_images_on(changed) if changed else {}
    found: dict[int, Corners] = {}
    for one in cropped:
        present = size_of(one.sample)
        drawn = image_at(earlier.get(one.sample_id, ()), scored[one.run_id], present)
        if (box := on_present(one.score.crop, drawn, present)) is not None:
            found[one.pk] = box
    return found
