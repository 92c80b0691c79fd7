"""Checks whether the boxes of a file fit their coordinates: boxes outside their image, and a tally over all calls on
the original image.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from annotation.schema import ORIGINAL, Issue, Severity, shortened
from evaluation.schema import Coordinates, Step, Trajectory

BOUND = {Coordinates.NORM1: 1.0, Coordinates.NORM1000: 1000.0}
SLACK = 1.02
"""A box may reach this far over the edge and still count as inside: models round."""
DOUBTED = 0.8
"""If a smaller share of the boxes is inside, the coordinates are probably different."""
FRACTIONS = 0.98
"""From this share of boxes with four numbers up to 1 on, pixels are probably fractions."""
ENOUGH = 20

Size = tuple[int | None, int | None]


def boxes_outside(record: Trajectory, size: Size) -> list[Issue]:
    """An issue about the boxes of a trajectory that reach over the edge of their image, at most one."""
    width, height = size
    outside = [
        (place, step)
        for place, step in enumerate(record.steps)
        if step.image_in == ORIGINAL and width and height and not _is_inside(step, width, height)
    ]
    if not outside:
        return []
    place, first = outside[0]
    more = f", and {len(outside) - 1} more of this trajectory" if len(outside) > 1 else ""
    done = (
        f"This box{more} reaches over the edge of the image, which is {width} by {height} pixels. It was kept and is "
        f"clipped for scores. Check that the coordinates are {first.coords.value}."
    )
    found, where = shortened(list(first.bbox or ())), f"steps[{place}].bbox"
    return [Issue(Severity.NOTED, "box-outside-image", record.file, record.line, where, found, done, record.row)]


def _is_inside(step: Step, width: int, height: int) -> bool:
    bounds = (BOUND[step.coords],) * 4 if step.coords in BOUND else (width, height) * 2
    return step.bbox is None or all(0 <= v <= SLACK * most for v, most in zip(step.bbox, bounds, strict=True))


class BoxTally:
    """Counts calls, boxes by their coordinate space, and boxes inside their image."""

    def __init__(self, sizes: Mapping[str, Size]) -> None:
        self._sizes = sizes
        self._read: Counter[str] = Counter()
        self._inside = 0
        self._fractions = 0

    def take(self, record: Trajectory) -> None:
        width, height = self._sizes.get(record.sample_id, (None, None))
        for step in record.steps:
            if step.bbox is None or step.image_in != ORIGINAL or not width or not height:
                continue
            self._read[step.coords.value] += 1
            self._inside += _is_inside(step, width, height)
            self._fractions += max(map(abs, step.bbox)) <= 1

    def as_dict(self) -> dict[str, Any]:
        """Return the number of checked ``boxes``, the most frequent ``space``, the number ``inside``, and whether that
        is ``doubted``.
        """
        total = sum(self._read.values())
        space = self._read.most_common(1)[0][0] if total else ""
        tiny = space != Coordinates.NORM1 and self._fractions >= FRACTIONS * total
        doubted = total >= ENOUGH and (tiny or self._inside < DOUBTED * total)
        return {"boxes": total, "space": space, "inside": self._inside, "tiny": tiny, "doubted": doubted}
