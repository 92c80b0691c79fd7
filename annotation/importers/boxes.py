"""Other ways of writing a box, brought to corners in pixels."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.importers import fields
from annotation.importers.fields import Report


def name_boxes(written: Sequence[object], key: str, report: Report, *, listed: bool = True) -> None:
    """Issues of gold boxes name ``key`` and show what is ``written`` there. ``listed``: they are there in a list."""
    report.stands_for("gold_boxes", key)
    for index, box in enumerate(written):
        report.stands_for(f"gold_boxes[{index}]", f"{key}[{index}]" if listed else key, box)


def corners(box: object) -> object:
    """``[x, y, width, height]`` as ``[x1, y1, x2, y2]``; anything else stays and is rejected when it is read."""
    numbers = fields.four_numbers(box)
    return box if numbers is None else [numbers[0], numbers[1], numbers[0] + numbers[2], numbers[1] + numbers[3]]
