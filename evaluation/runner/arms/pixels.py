"""The changes of arms to crops and images. Images are RGB ``uint8`` (h, w, 3) or gray (h, w); sizes never change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from annotation.imaging.crops import Picture, crop, scaled
from annotation.imaging.evidence import polygon_pixels
from annotation.importers.fields import Number4
from annotation.marking import gettext_noop
from annotation.schema import Box, Point
from evaluation.runner.arms.catalogue import CannotApply

MARGIN = 0.1
"""Share of a gold region that is added as margin on each side."""
_TRIES = 400


def noisy(picture: Picture, percent: float, rng: np.random.Generator) -> Picture:
    """Return (1 − p)·pixel + p·noise, p = ``percent`` / 100, with noise uniform on 0 to 255 for each value."""
    share = percent / 100
    noise = rng.integers(0, 256, picture.shape).astype(np.float64)
    return np.rint((1 - share) * picture + share * noise).astype(np.uint8)


def blank(picture: Picture) -> Picture:
    """Return an image of its mean color."""
    mean = np.rint(picture.reshape(-1, *picture.shape[2:]).mean(axis=0))
    return np.broadcast_to(mean.astype(np.uint8), picture.shape).copy()


def blurred(picture: Picture, factor: int) -> Picture:
    """Return the image reduced by a factor with area means, and enlarged again."""
    height, width = picture.shape[:2]
    small = scaled(picture, max(1, round(width / factor)), max(1, round(height / factor)))
    return scaled(small, width, height)


def gold_region(original: Picture, boxes: Sequence[Number4]) -> Picture:
    """Return the region around all gold boxes, with a margin. Raises ``CannotApply`` if there are no boxes."""
    if not boxes:
        raise CannotApply(gettext_noop("The sample has no gold boxes."))
    x1, y1 = min(box[0] for box in boxes), min(box[1] for box in boxes)
    x2, y2 = max(box[2] for box in boxes), max(box[3] for box in boxes)
    dx, dy = MARGIN * (x2 - x1), MARGIN * (y2 - y1)
    return crop(original, Box(x1 - dx, y1 - dy, x2 + dx, y2 + dy))


def letterboxed(picture: Picture, width: int, height: int) -> Picture:
    """Return the image scaled to fit into ``width`` × ``height``, centered on its mean color."""
    high, wide = picture.shape[:2]
    scale = min(width / wide, height / high)
    inner = scaled(picture, max(1, min(width, round(wide * scale))), max(1, min(height, round(high * scale))))
    mean = np.rint(picture.reshape(-1, *picture.shape[2:]).mean(axis=0)).astype(np.uint8)
    made = np.broadcast_to(mean, (height, width, *picture.shape[2:])).copy()
    top, left = (height - inner.shape[0]) // 2, (width - inner.shape[1]) // 2
    made[top : top + inner.shape[0], left : left + inner.shape[1]] = inner
    return made


def random_box(box: Number4, gold: Sequence[Number4], size: tuple[int, int], rng: np.random.Generator) -> Number4:
    """Return a box of the same size in the image that touches no gold box. ``size``: (width, height) of the image.

    Raises ``CannotApply`` if none is found.
    """
    wide, high = min(box[2] - box[0], size[0]), min(box[3] - box[1], size[1])
    for _ in range(_TRIES):
        x, y = rng.uniform(0, size[0] - wide), rng.uniform(0, size[1] - high)
        if all(x >= one[2] or y >= one[3] or x + wide <= one[0] or y + high <= one[1] for one in gold):
            return float(x), float(y), float(x + wide), float(y + high)
    raise CannotApply(gettext_noop("No box of the size of the crop lies outside the gold."))


def masked(
    picture: Picture, boxes: Sequence[Number4], polygons: Mapping[int, Sequence[Point]] | None = None
) -> Picture:
    """Return the image with boxes filled from their surroundings. ``boxes``: in its pixels; they may extend beyond it.
    ``polygons``: by position among the boxes, of those boxes of which only the area of a polygon is filled.

    Each row of a box is a gradient between the colors at its left and right edges, each column one from top to bottom.
    The fill is their mean, so that no pixel of the box remains. Without a line next to any edge, each masked pixel gets
    the gradient between the nearest pixels outside the mask. Raises ``CannotApply`` if there are none.
    """
    height, width = picture.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    areas: list[tuple[int, int, int, int]] = []
    for at, (x1, y1, x2, y2) in enumerate(boxes):
        left, top, right, bottom = max(0, floor(x1)), max(0, floor(y1)), min(width, ceil(x2)), min(height, ceil(y2))
        if left < right and top < bottom:
            points = (polygons or {}).get(at)
            inside = True if points is None else polygon_pixels(points, left, top, right, bottom)
            mask[top:bottom, left:right] |= inside
            areas.append((left, top, right, bottom))
    if mask.all():
        raise CannotApply(gettext_noop("The gold covers the whole image, so it has no surroundings."))
    made = picture.copy()
    for area in _joined(areas):
        _fill(made, mask, *area)
    return made


def _joined(areas: Sequence[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Return rectangles around all boxes that touch each other, so that the pixels next to one are in no other one."""
    joined: list[tuple[int, int, int, int]] = []
    for area in areas:
        left, top, right, bottom = area
        touching = [area]
        while touching:
            touching = [
                one for one in joined if one[0] <= right and one[2] >= left and one[1] <= bottom and one[3] >= top
            ]
            joined = [one for one in joined if one not in touching]
            for one in touching:
                left, top, right, bottom = (
                    min(left, one[0]), min(top, one[1]), max(right, one[2]), max(bottom, one[3]),
                )  # fmt: skip
        joined.append((left, top, right, bottom))
    return joined


def _fill(made: Picture, mask: Picture, left: int, top: int, right: int, bottom: int) -> None:
    """Fill masked pixels of one rectangle from the adjacent lines on its four sides, if these are inside the image."""
    height, width = made.shape[:2]
    area = made[top:bottom, left:right].astype(np.float64)
    across = np.linspace(0, 1, right - left).reshape(1, -1, *([1] * (made.ndim - 2)))
    down = np.linspace(0, 1, bottom - top).reshape(-1, 1, *([1] * (made.ndim - 2)))
    sides = [made[top:bottom, one : one + 1].astype(np.float64) for one in (left - 1, right) if 0 <= one < width]
    ends = [made[one : one + 1, left:right].astype(np.float64) for one in (top - 1, bottom) if 0 <= one < height]
    fills = []
    for lines, at in ((sides, across), (ends, down)):
        if lines:
            fills.append((1 - at) * lines[0] + at * lines[-1] + 0 * area)
    if not fills:
        _fill_between(made, mask)
        return
    filled = np.rint(np.mean(fills, axis=0)).astype(np.uint8)
    inside = mask[top:bottom, left:right] == 1
    made[top:bottom, left:right][inside] = filled[inside]


def _fill_between(made: Picture, mask: Picture) -> None:
    """Fill masked pixels with the mean of the gradients between the nearest pixels outside the mask, in their row and
    in their column. Where a line has none on one side, the other one counts; where neither line has any, the mean of
    all pixels outside the mask.
    """
    rows, columns = np.nonzero(mask)
    total = np.zeros((len(rows), *made.shape[2:]))
    lines = np.zeros(len(rows), np.int64)
    for source, outside, line, at in (
        (made, mask == 0, rows, columns),
        (made.swapaxes(0, 1), (mask == 0).T, columns, rows),
    ):
        before, after = (nearest[line, at] for nearest in _nearest(outside))
        low, high = np.where(before < 0, after, before), np.where(after < 0, before, after)
        known = np.flatnonzero(low >= 0)
        low, high, at, line = low[known], high[known], at[known], line[known]
        share = ((at - low) / np.maximum(high - low, 1)).reshape(-1, *([1] * (made.ndim - 2)))
        total[known] += (1 - share) * source[line, low] + share * source[line, high]
        lines[known] += 1
    total[lines == 0] = made[mask == 0].mean(axis=0)
    count = np.maximum(lines, 1).reshape(-1, *([1] * (made.ndim - 2)))
    made[rows, columns] = np.rint(total / count).astype(np.uint8)


def _nearest(outside: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """For each pixel, the column of the nearest pixel outside the mask before it and after it in its row; -1: none."""
    width = outside.shape[1]
    at = np.arange(width, dtype=np.int32)
    before = np.maximum.accumulate(np.where(outside, at, np.int32(-1)), axis=1)
    after = np.minimum.accumulate(np.where(outside, at, np.int32(width))[:, ::-1], axis=1)[:, ::-1]
    return before, np.where(after == width, np.int32(-1), after)
