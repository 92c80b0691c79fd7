"""Replaying a stored trajectory with the toolbox. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from django.utils.translation import gettext

from annotation.images.chain_runs import original_of
from annotation.imaging.decoding import decode, inspect
from annotation.imaging.problems import PictureProblem
from annotation.toolbox.results import Picture
from annotation.toolbox.vtc import Profile
from evaluation.exporters.native import step_row
from evaluation.models import Step as StepRow
from evaluation.models import Trajectory
from evaluation.replay.run import Replayed, replay
from evaluation.schema import Coordinates, Step
from evaluation.scoring.load.images import HERE, image_of
from webapp.common.errors import Conflict

MOST_STEPS = 30
"""Calls replayed in one request. Of a longer trajectory, only the first ones are replayed."""
MOST_PIXELS = 100_000_000
"""Total size of uploaded images to compare with: they are all in memory at the same time."""


def replay_trajectory(
    trajectory: Trajectory,
    show: Callable[[Picture], Picture] | None = None,
    recorded: Mapping[str, Picture] | None = None,
) -> tuple[Replayed, ...]:
    """Replay the first calls of the trajectory on the sample's image. Raises ``Conflict`` if the image is missing, or
    has other pixels than the one that the trajectory was recorded on.

    ``show`` returns what is kept of each image; by default nothing. ``recorded``: see ``recorded_pictures``.
    """
    if image_of(trajectory) != HERE:
        message = gettext("%(key)s: the image was replaced after the trajectory was recorded. Run the model again.")
        raise Conflict(message % {"key": trajectory.sample.key})
    steps = [_step(row) for row in _rows(trajectory)]
    profile = Profile.VTC if trajectory.extra.get("profile") == Profile.VTC else Profile.STRICT
    return replay(steps, original_of(trajectory.sample), recorded, show=show, profile=profile)


def recorded_calls(trajectory: Trajectory) -> list[dict[str, Any]]:
    """Return the same calls as rows of the native format, without the text around them."""
    return [step_row(_step(row)) for row in _rows(trajectory)]


def recorded_pictures(
    trajectory: Trajectory, files: Iterable[tuple[str, bytes]]
) -> tuple[dict[str, Picture], list[tuple[str, str]]]:
    """Recorded images that a person uploads, by the image id in the file name (the last part of an id, with or without
    an ending), and files that are no images, with the reason."""
    ids = {name: one for one in _ids(_rows(trajectory)) for name in (_last(one), PurePosixPath(_last(one)).stem)}
    found: dict[str, Picture] = {}
    left: list[tuple[str, str]] = []
    pixels = 0
    for name, content in files:
        one = ids.get(_last(name)) or ids.get(PurePosixPath(_last(name)).stem)
        if one is None:
            left.append((name, "no replayed call returned an image with this name."))
            continue
        try:
            size = inspect(content)
            if (pixels := pixels + size.width * size.height) > MOST_PIXELS:
                left.append((name, f"all images together may have {MOST_PIXELS:,} pixels. Send fewer at once."))
                break
            found[one] = decode(content)
        except PictureProblem as problem:
            left.append((name, problem.message))
    return found, left


def _rows(trajectory: Trajectory) -> list[StepRow]:
    rows = StepRow.objects.filter(trajectory=trajectory).order_by("position").defer("text", "observation")
    return list(rows[:MOST_STEPS])


def _ids(rows: Iterable[StepRow]) -> list[str]:
    return [row.image_out for row in rows if row.image_out]


def _last(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).name


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
        extra=row.extra,
    )


def _box(
    x1: float | None, y1: float | None, x2: float | None, y2: float | None
) -> tuple[float, float, float, float] | None:
    if x1 is None or y1 is None or x2 is None or y2 is None:
        return None
    return x1, y1, x2, y2
