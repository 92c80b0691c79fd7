"""Density of boxes that are too many to outline: the number of boxes over every part of their image."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby
from math import ceil, floor
from typing import Any

from webapp.common.drawing import format_number, rectangle

MANY = 40
"""With this number of boxes or more, outlines would hide the image."""

CELLS = 64
"""Along the longer side of the image."""

LEVELS = 6
DARKEST = 0.6
"""Of the part that most boxes share: the image is seen through it."""

Layer = tuple[str, str]
"""The opacity and the path of cells, in pixels of the image."""


def density_layers(boxes: Iterable[Any], width: float, height: float) -> list[Layer]:
    """The image's cells by the number of boxes over them; none where outlines can be distinguished."""
    corners = [rectangle(box) for box in boxes]
    if len(corners) <= MANY:
        return []
    side = max(width, height) / CELLS
    counts = _counts(corners, side, ceil(width / side), ceil(height / side))
    most = max(map(max, counts))
    levels = [[ceil(LEVELS * count / most) for count in row] for row in counts] if most else []
    layers = [(level, _path(levels, level, side)) for level in range(1, LEVELS + 1)]
    return [(format_number(DARKEST * level / LEVELS), path) for level, path in layers if path]


def _counts(
    corners: Iterable[tuple[float, float, float, float]], side: float, across: int, down: int
) -> list[list[int]]:
    """Return the number of boxes that touch each cell: differences at corners, summed in both directions."""
    edges = [[0] * (across + 1) for _ in range(down + 1)]
    for x1, y1, x2, y2 in corners:
        left, top = max(0, floor(x1 / side)), max(0, floor(y1 / side))
        right, bottom = min(across, ceil(x2 / side)), min(down, ceil(y2 / side))
        if left < right and top < bottom:
            edges[top][left] += 1
            edges[bottom][right] += 1
            edges[top][right] -= 1
            edges[bottom][left] -= 1
    rows = [list(accumulate(row)) for row in edges[:down]]
    columns = [list(accumulate(column)) for column in zip(*rows, strict=True)][:across]
    return [list(row) for row in zip(*columns, strict=True)]


def _path(levels: Iterable[Sequence[int]], wanted: int, side: float) -> str:
    """The cells of one level, with adjacent cells joined."""
    parts = []
    for down, row in enumerate(levels):
        start = 0
        for level, cells in groupby(row):
            length = len(list(cells))
            if level == wanted:
                x, y = format_number(start * side), format_number(down * side)
                parts.append(
                    f"M{x} {y}h{format_number(length * side)}v{format_number(side)}h-{format_number(length * side)}z"
                )
            start += length
    return "".join(parts)
