"""Steps from boxes that a file reports without calls: each is a crop of the original image."""

from __future__ import annotations

from collections.abc import Iterable

from annotation.importers.fields import Number4, Report
from annotation.schema import ORIGINAL
from evaluation.importers.interface import BoxSpace
from evaluation.importers.zooming import ImageFrame, note_unless_box, on_picture
from evaluation.schema import Step


def box_steps(
    boxes: Iterable[Number4], tool: str, space: BoxSpace, size: tuple[int, int] | None, field: str, report: Report
) -> list[Step]:
    """A step of ``tool`` for each box, ``(x1, y1, x2, y2)`` in ``space``.

    ``size``: of the image, if known. ``field``: the field of the file that contains the boxes."""
    picture = ImageFrame(ORIGINAL, size)
    steps = []
    for number, box in enumerate(boxes, 1):
        note_unless_box(box, field, report)
        bbox, coords = on_picture(box, space, picture)
        steps.append(Step(tool=tool, bbox=bbox, coords=coords, image_in=ORIGINAL, image_out=f"crop_{number}"))
    return steps
