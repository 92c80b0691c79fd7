"""Areas of evidence with polygons: unions, intersections and shares by shapely. Pure.

Boxes alone have exact sums of their own (``annotation.imaging.evidence``, ``evaluation.metrics.regions``); these
functions are for sets with a polygon or a point. Areas are continuous, in square pixels. A polygon that crosses itself
encloses what an even number of its edges does not shut out (``shapely.make_valid``). A point has no area.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from annotation.schema import Box, Outline, OutlineKind, Point

with suppress(ModuleNotFoundError):  # The rewards of trainers install NumPy alone; their gold has boxes.
    import shapely

Region = Any
"""A shapely geometry of areas, possibly empty."""
POINT_REACH = 10.0
"""Where people are compared, a point is the square that reaches this many pixels from it in each direction."""


def is_point(shape: Box) -> bool:
    return isinstance(shape, Outline) and shape.kind is OutlineKind.POINT


def has_outlines(shapes: Iterable[Box]) -> bool:
    """Whether not all are boxes."""
    return any(isinstance(shape, Outline) for shape in shapes)


def polygons_in(shapes: Iterable[Box]) -> dict[int, Sequence[Point]]:
    """The corners of the polygons, by position among the shapes."""
    return {
        at: one.points for at, one in enumerate(shapes) if isinstance(one, Outline) and one.kind is OutlineKind.POLYGON
    }


def crosses_itself(shape: Box) -> bool:
    """Whether the sides of a polygon cross or touch each other, or it has no area."""
    if not isinstance(shape, Outline) or shape.kind is OutlineKind.POINT:
        return False
    return not shapely.Polygon(shape.points).is_valid or shape.area <= 0


def region_of_shape(shape: Box) -> Region:
    """The area of one shape; empty for a point."""
    if not isinstance(shape, Outline):
        return shapely.box(shape.x1, shape.y1, shape.x2, shape.y2)
    if shape.kind is OutlineKind.POINT:
        return shapely.Polygon()
    found = shapely.Polygon(shape.points)
    return found if found.is_valid else only_areas(shapely.make_valid(found))


def only_areas(geometry: Region) -> Region:
    """A geometry without its lines and points."""
    parts = [part for part in shapely.get_parts(geometry) if part.geom_type in ("Polygon", "MultiPolygon")]
    return shapely.union_all(parts) if parts else shapely.Polygon()


def region_of(shapes: Iterable[Box]) -> Region:
    """The union of the areas."""
    return shapely.union_all([region_of_shape(shape) for shape in shapes])


def share_of_image(shapes: Sequence[Box], width: float, height: float) -> float | None:
    """Area of the union of the shapes inside the image / area of the image, 0..1; None where no shape has an area
    inside."""
    inside = region_of(shapes).intersection(shapely.box(0, 0, width, height)).area
    return float(inside) / (width * height) if inside > 0 else None


def overlap(one: Sequence[Box], other: Sequence[Box]) -> tuple[float, float, float]:
    """Return the area in common, and the area of each, of two sets of shapes of two people. A point is the square
    around it (``POINT_REACH``)."""
    first, second = region_of(map(_reach, one)), region_of(map(_reach, other))
    return float(first.intersection(second).area), float(first.area), float(second.area)


def have_common_area(one: Box, other: Box) -> bool:
    return bool(region_of_shape(one).intersection(region_of_shape(other)).area > 0)


def _reach(shape: Box) -> Box:
    if isinstance(shape, Outline) and shape.kind is OutlineKind.POINT:
        x, y = shape.points[0]
        return Box(x - POINT_REACH, y - POINT_REACH, x + POINT_REACH, y + POINT_REACH)
    return shape
