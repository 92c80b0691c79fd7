"""Other ways of writing a box, brought to corners in pixels."""

from __future__ import annotations

from annotation.importers import fields


def corners(box: object) -> object:
    """``[x, y, width, height]`` as ``[x1, y1, x2, y2]``; anything else as it is, to be refused where it is read."""
    numbers = fields.four_numbers(box)
    return box if numbers is None else [numbers[0], numbers[1], numbers[0] + numbers[2], numbers[1] + numbers[3]]
