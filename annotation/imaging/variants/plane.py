"""Projective maps of the plane, and boxes and polygons carried through them.

Coordinates are continuous: pixel i covers i to i + 1. A map takes a point of the parent image to the variant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.schema import Box, Outline, OutlineKind

Point = tuple[float, float]
Rows = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]

LARGEST_LOSS = 0.05
"""Gold that loses a larger share of its area is rejected."""
_DUST = 1e-9


@dataclass(frozen=True, slots=True)
class Plane:
    """A 3 × 3 matrix of a projective map; without arguments the map that changes nothing."""

    rows: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

    def point(self, x: float, y: float) -> Point:
        across, down, scale = (row[0] * x + row[1] * y + row[2] for row in self.rows)
        return across / scale, down / scale

    def polygon(self, box: Box) -> tuple[Point, ...]:
        """The four mapped corners of a box, in the order of its outline: exactly its image."""
        corners = (box.x1, box.y1), (box.x2, box.y1), (box.x2, box.y2), (box.x1, box.y2)
        return tuple(self.point(x, y) for x, y in corners)

    @property
    def is_upright(self) -> bool:
        """Whether every box stays a box: quarter turns, flips, scaling and moving."""
        (a, b, _), (d, e, _), (g, h, _) = self.rows
        return not (g or h) and ((not b and not d) or (not a and not e))

    def array(self) -> np.ndarray:
        return np.array(self.rows, np.float64)


def plane_between(parent: Sequence[Point], variant: Sequence[Point]) -> Plane:
    """The map that takes four points to four others, no three of either on one line."""
    equations, values = [], []
    for (x, y), (u, v) in zip(parent, variant, strict=True):
        equations += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    a, b, c, d, e, f, g, h = (float(one) for one in np.linalg.solve(np.array(equations), np.array(values)))
    return Plane(((a, b, c), (d, e, f), (g, h, 1.0)))


@dataclass(frozen=True, slots=True)
class Carried:
    """A gold box on the variant. ``polygon``: exactly where it is, cut at the edge of the image; empty where it is the
    box. ``kept``: the share of its area inside the image. ``box``: None if nothing is left."""

    box: Box | None
    polygon: tuple[Point, ...]
    kept: float

    @property
    def is_rejected(self) -> bool:
        return self.box is None or self.kept < 1 - LARGEST_LOSS - _DUST


def carry(box: Box, plane: Plane, width: int, height: int) -> Carried:
    """The shape on a variant of this size. A polygon stays one, by its vertices; a point is lost outside the image."""
    if isinstance(box, Outline):
        return _carried_outline(box, plane, width, height)
    whole = plane.polygon(box)
    inside = _clipped(whole, width, height)
    total, left = area_of(whole), area_of(inside)
    xs, ys = [x for x, _ in inside], [y for _, y in inside]
    if not total or left <= total * _DUST or max(xs) <= min(xs) or max(ys) <= min(ys):
        return Carried(None, (), 0.0)
    upright = Box(min(xs), min(ys), max(xs), max(ys))
    return Carried(upright, () if plane.is_upright else inside, min(left / total, 1.0))


def _carried_outline(outline: Outline, plane: Plane, width: int, height: int) -> Carried:
    """A straight side stays straight on every map, so that the mapped vertices are the exact polygon."""
    try:
        whole = outline.moved(plane.point)
    except ValueError:
        return Carried(None, (), 0.0)
    inside = whole.clipped(width, height)
    if outline.kind is OutlineKind.POINT:
        return Carried(inside, (), 1.0 if inside else 0.0)
    if inside is None or not whole.area or inside.area <= whole.area * _DUST:
        return Carried(None, (), 0.0)
    return Carried(inside, inside.points, min(inside.area / whole.area, 1.0))


def area_of(polygon: Sequence[Point]) -> float:
    """The area of a simple polygon."""
    if len(polygon) < 3:
        return 0.0
    # Relative to the first point: far from the origin, products of coordinates lose digits.
    x0, y0 = polygon[0]
    moved = [(x - x0, y - y0) for x, y in polygon]
    pairs = zip(moved, [*moved[1:], moved[0]], strict=True)
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairs)) / 2


def _clipped(polygon: Sequence[Point], width: int, height: int) -> tuple[Point, ...]:
    """The part of a convex polygon inside the image (Sutherland–Hodgman)."""
    found = list(polygon)
    for axis, edge, sign in ((0, 0.0, 1), (0, float(width), -1), (1, 0.0, 1), (1, float(height), -1)):
        found = _half(found, axis, edge, sign)
    return tuple(found)


def _half(polygon: list[Point], axis: int, edge: float, sign: int) -> list[Point]:
    found: list[Point] = []
    for before, now in zip([*polygon[-1:], *polygon[:-1]], polygon, strict=True):
        was, lies = sign * (before[axis] - edge), sign * (now[axis] - edge)
        if (was < 0) != (lies < 0):
            share = was / (was - lies)
            between = [before[i] + share * (now[i] - before[i]) for i in (0, 1)]
            between[axis] = edge
            found.append((between[0], between[1]))
        if lies >= 0:
            found.append(now)
    return found
