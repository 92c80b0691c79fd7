"""Sets of boxes, one per row, and the exact area they cover together (overlaps once). A set of gold may have outlines,
too (``evaluation.metrics.outlines``)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from evaluation.metrics.boxes import areas, filled, intersections
from evaluation.metrics.columns import Bools, Floats, Ints
from evaluation.metrics.outlines import Geometries, rows_with, shapes_in, union_area
from evaluation.metrics.ragged import count_true, rows_of, spans, starts_of

CELLS = 262_144
"""The maximum number of boxes that the sweep holds at once, in all sets of a batch."""


@dataclass(frozen=True)
class BoxSets:
    """Ragged sets of boxes: row ``i`` owns ``boxes[start[i]:start[i + 1]]``. ``outlines``: for each box the geometry of
    the polygon or point that it is around, None for a plain box; None if all are plain."""

    boxes: Floats
    start: Ints
    outlines: Geometries | None = None

    @classmethod
    def single(cls, boxes: Floats) -> Self:
        """One box per row."""
        return cls(boxes, np.arange(len(boxes) + 1))

    @property
    def counts(self) -> Ints:
        return np.diff(self.start)

    def __len__(self) -> int:
        return len(self.start) - 1

    def take(self, rows: Ints) -> BoxSets:
        """The sets of ``rows``, in that order, repeats allowed."""
        counts = self.counts[rows]
        places = spans(self.start[rows], counts)
        outlines = None if self.outlines is None else self.outlines[places]
        return BoxSets(self.boxes[places], starts_of(counts), outlines)

    @property
    def drawn(self) -> Bools:
        """(n,) the rows with an outline."""
        return np.zeros(len(self), np.bool_) if self.outlines is None else rows_with(self.outlines, self.start)

    def plain(self) -> BoxSets:
        """The same boxes without outlines."""
        return BoxSets(self.boxes, self.start)

    def shapes(self, row: int | np.integer[Any]) -> Geometries:
        """The geometries of one row of sets with outlines."""
        assert self.outlines is not None
        part = slice(self.start[row], self.start[row + 1])
        return shapes_in(self.boxes[part], self.outlines[part])

    def prefixes(self) -> BoxSets:
        """One set per box: the boxes of its row up to and with itself."""
        begin = self.start[rows_of(self.start)]
        counts = np.arange(1, len(self.boxes) + 1) - begin
        return BoxSets(self.boxes[spans(begin, counts)], starts_of(counts))

    def within_each_box_of(self, other: BoxSets) -> BoxSets:
        """For every box of ``other`` the parts of this row's boxes inside it: ``len(other.boxes)`` sets.

        The sets of one row are adjacent, so ``result.start[other.start]`` are the offsets of the rows.
        """
        row = rows_of(other.start)
        counts = self.counts[row]
        theirs = other.boxes[np.repeat(np.arange(len(row)), counts)]
        return BoxSets(intersections(self.boxes[spans(self.start[row], counts)], theirs), starts_of(counts))

    def keep(self, kept: Bools) -> BoxSets:
        """Remove the boxes that are not ``kept``. A row may become empty."""
        outlines = None if self.outlines is None else self.outlines[kept]
        return BoxSets(self.boxes[kept], starts_of(count_true(kept, self.start)), outlines)


def union_areas(sets: BoxSets) -> Floats:
    """The area each set covers together, square pixels; empty boxes count nothing, an empty set 0. Exact. A set of
    points alone has none: NaN.

    One and two boxes have closed forms; more are swept: between two neighboring x edges the boxes that span the
    slab, in order of their y1, add what reaches below all earlier ones.
    """
    if (drawn := sets.drawn).any():
        out = union_areas(sets.plain())
        out[drawn] = [union_area(sets.shapes(row)) for row in np.flatnonzero(drawn)]
        return out
    kept = filled(sets.boxes)
    sets = sets if kept.all() else sets.keep(kept)
    boxes, start = sets.boxes, sets.start
    counts = np.diff(start)
    out = np.zeros(len(counts))
    one = counts == 1
    out[one] = areas(boxes[start[:-1][one]])
    if (two := np.flatnonzero(counts == 2)).size:
        a, b = boxes[start[two]], boxes[start[two] + 1]
        out[two] = areas(a) + areas(b) - _common_areas(a, b)
    for count in np.unique(counts[counts > 2]):
        rows = np.flatnonzero(counts == count)
        for batch in np.array_split(rows, -(-len(rows) * int(count) // CELLS)):
            members = start[batch][None, :] + np.arange(count)[:, None]
            out[batch] = _swept(boxes[members])
    return out


def _common_areas(a: Floats, b: Floats) -> Floats:
    common = intersections(a, b)
    return np.maximum(common[:, 2] - common[:, 0], 0.0) * np.maximum(common[:, 3] - common[:, 1], 0.0)


def _swept(boxes: Floats) -> Floats:
    """Union areas of (p, r, 4) boxes: r sets of p boxes each."""
    edges = np.sort(np.concatenate((boxes[:, :, 0], boxes[:, :, 2])), axis=0)
    order = np.argsort(boxes[:, :, 1], axis=0)
    x1, y1, x2, y2 = (np.take_along_axis(boxes[:, :, side], order, axis=0) for side in range(4))
    total = np.zeros(boxes.shape[1])
    for left, right in pairwise(edges):
        bottom = np.where((x1 <= left) & (x2 >= right), y2, -np.inf)
        top = y1.copy()
        np.maximum(top[1:], np.maximum.accumulate(bottom, axis=0)[:-1], out=top[1:])
        total += (right - left) * np.maximum(bottom - top, 0.0).sum(axis=0)
    return total
