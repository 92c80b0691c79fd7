"""Row-by-row geometry of boxes ``[x1, y1, x2, y2]``: (n, 4) arrays in pixels, continuous areas
(docs/metrics.md#equality).

The functions work through their rows a block at a time, in place, so that all intermediate values stay in the cache.
Boxes are taken as valid (positive width and height); a row with NaN gives NaN. Columns are handled one by one, copied
side by side first: NumPy is slow over a last axis of two or four, and over every fourth number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.columns import Bools, Floats
from evaluation.metrics.ragged import TIE

BLOCK = 8192
"""Rows per block: the columns of two boxes and those of what is made of them fit a second-level cache."""


@dataclass(frozen=True)
class Overlap:
    """The overlap of a crop and a gold box, (n,) each, 0..1.

    Attributes:
        coverage: intersection / area of the gold box, "IoA(pred, gt)".
        concentration: intersection / area of the crop, "IoA(gt, pred)", also called IoP.
        ioa: the larger of the two.
    """

    coverage: Floats
    concentration: Floats
    ioa: Floats


def areas(boxes: Floats) -> Floats:
    """(x2 - x1) * (y2 - y1), square pixels."""
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def valid(boxes: Floats) -> Bools:
    """Finite, with x2 > x1 and y2 > y1. Corners are never swapped."""
    x1, y1, x2, y2 = boxes.T
    finite: Bools = np.isfinite(x1) & np.isfinite(y1) & np.isfinite(x2) & np.isfinite(y2)
    return finite & filled(boxes)


def filled(boxes: Floats) -> Bools:
    """Return where x2 > x1 and y2 > y1; false for NaN."""
    return (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])


def clipped(boxes: Floats, size: Floats) -> Floats:
    """The parts inside images of (n, 2) width and height; NaN rows where nothing is left or a size is NaN."""
    out = np.empty_like(boxes)
    for side in (0, 1):
        np.maximum(boxes[:, side], 0.0, out=out[:, side])
        np.minimum(boxes[:, side + 2], size[:, side], out=out[:, side + 2])
    out[~filled(out)] = np.nan
    return out


def intersections(a: Floats, b: Floats) -> Floats:
    """The common box of every pair; x2 <= x1 or y2 <= y1 where there is none."""
    out = np.empty((len(a), 4))
    for side in (0, 1):
        np.maximum(a[:, side], b[:, side], out=out[:, side])
        np.minimum(a[:, side + 2], b[:, side + 2], out=out[:, side + 2])
    return out


def overlap(crops: Floats, gold: Floats) -> Overlap:
    """Coverage, concentration and IoA (docs/metrics.md#ioa) of crop ``i`` against gold box ``i``.

    Args:
        crops: (n, 4). gold: (n, 4), or (1, 4) to hold every crop against one box.

    Example: gold [0,0,10,10], crop [5,0,25,10] give coverage .5, concentration .25, IoA .5.
    """
    coverage, concentration, ioa = (np.empty(len(crops)) for _ in range(3))
    for rows, a, b, inter, side, other in _blocks(crops, gold):
        _intersect(a, b, inter, side, other)
        np.divide(inter, _area(b, side, other), out=coverage[rows])
        np.divide(inter, _area(a, side, other), out=concentration[rows])
        np.maximum(coverage[rows], concentration[rows], out=ioa[rows])
    return Overlap(coverage, concentration, ioa)


def iou(a: Floats, b: Floats) -> Floats:
    """Intersection / union of box ``i`` of ``a`` and of ``b`` ((n, 4), or (1, 4) for ``b``): (n,), 0..1."""
    out = np.empty(len(a))
    for rows, left, right, inter, side, other in _blocks(a, b):
        _intersect(left, right, inter, side, other)
        union = out[rows]
        np.copyto(union, _area(left, side, other))
        union += _area(right, side, other)
        union -= inter
        np.divide(inter, union, out=union)
    return out


def center_in(crops: Floats, boxes: Floats) -> Bools:
    """Return whether the center of crop ``i`` is in box ``i``, border included (within 1e-9)."""
    center = (crops[:, :2] + crops[:, 2:]) / 2
    inside = np.logical_and(center >= boxes[:, :2] - TIE, center <= boxes[:, 2:] + TIE)
    return inside[:, 0] & inside[:, 1]


def linear_zoom(crops: Floats, size: Floats) -> Floats:
    """sqrt(image area / crop area), >= 1 for a crop inside its image; ``size`` is (n, 2) width and height."""
    return np.sqrt(size[:, 0] * size[:, 1] / areas(crops))


_Block = tuple[slice, Floats, Floats, Floats, Floats, Floats]


def _blocks(a: Floats, b: Floats) -> Iterator[_Block]:
    """Blocks of rows of both inputs as four columns, of one box as its four numbers, and three scratch columns."""
    scratch = np.empty((11, min(BLOCK, len(a))))
    for begin in range(0, len(a), BLOCK):
        rows = slice(begin, min(begin + BLOCK, len(a)))
        columns = scratch[:, : rows.stop - begin]
        left, right = columns[3:7], columns[7:]
        np.copyto(left, a[rows].T)
        if len(b) == 1:
            right = b[0]
        else:
            np.copyto(right, b[rows].T)
        yield rows, left, right, columns[0], columns[1], columns[2]


def _intersect(a: Floats, b: Floats, inter: Floats, side: Floats, other: Floats) -> None:
    """Write the intersection area into ``inter``; 0 for separate boxes."""
    for out, low, high in ((inter, 0, 2), (side, 1, 3)):
        np.minimum(a[high], b[high], out=out)
        np.maximum(a[low], b[low], out=other)
        out -= other
        np.maximum(out, 0.0, out=out)
    inter *= side


def _area(boxes: Floats, side: Floats, other: Floats) -> Floats:
    """Writes the areas of (4, r) boxes into ``side`` and returns it; of one box of (4,), its area."""
    if boxes.ndim == 1:
        return np.asarray((boxes[2] - boxes[0]) * (boxes[3] - boxes[1]))
    np.subtract(boxes[2], boxes[0], out=side)
    np.subtract(boxes[3], boxes[1], out=other)
    side *= other
    return side
