"""Polygons around the painted areas of a mask: contours by OpenCV, valid by shapely.

A contour of OpenCV goes through the centers of the outermost pixels. It is simplified there (Douglas and Peucker), and
then grown by half a pixel to the edges of these pixels. Holes are filled.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import shapely

from annotation.imaging.brush import Mask, ScatteredMask
from annotation.schema import MOST_VERTICES, Outline, OutlineKind, Point

TOLERANCE = 1.0
"""The largest distance of a removed corner from the simplified contour, in pixels of the mask. It is doubled while a
polygon has more than ``MOST_VERTICES`` corners."""
_SMALL, _FINE = 32, 0.5
"""The side in pixels below which an area is simplified with the finer tolerance."""
LEAST_SHARE = 0.01
"""Areas smaller than this share of the largest one are noise and left out."""
MOST_EDGES = 500_000
"""Ends of painted parts of rows. A mask with more is scattered pixels and no shape."""


def outlines_of(mask: Mask, size: tuple[int, int] | None = None, *, most: int = 20) -> list[Outline]:
    """Return at most ``most`` polygons around the separate areas of a mask, the largest first. Pixels that touch at a
    corner are of one area. ``size``: width and height of the image whose pixels the polygons are in; None: the mask's.

    Each polygon is valid, and its corners are inside the image. For areas of at least 100 pixels that are at least 6
    pixels wide and high everywhere, the IoU with the area without holes is at least 0.9. Raises ``ScatteredMask``.
    """
    height, width = mask.shape
    _check(mask)
    contours, _ = cv2.findContours(mask.view(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    ranked = sorted(((_pixels(one), -at) for at, one in enumerate(contours)), reverse=True)[:most]
    kept = [-at for pixels, at in ranked if pixels >= LEAST_SHARE * ranked[0][0]]
    across, down = (size[0] / width, size[1] / height) if size else (1.0, 1.0)
    return [_outline(contours[at], (width, height), (across, down)) for at in kept]


def _check(mask: Mask) -> None:
    edges = sum(int(np.count_nonzero(row[1:] != row[:-1])) + 2 for row in mask if row.any())
    if edges > MOST_EDGES:
        raise ScatteredMask(f"A mask is scattered: its rows have {edges:,} ends, and {MOST_EDGES:,} are allowed.")


def _pixels(contour: Any) -> float:
    """The number of pixels on and inside a contour through their centers, by Pick's theorem where it is one pixel
    long in each step."""
    return cv2.contourArea(contour) + cv2.arcLength(contour, True) / 2 + 1


def _outline(contour: Any, size: tuple[int, int], scale: tuple[float, float]) -> Outline:
    _, _, *sides = cv2.boundingRect(contour)
    tolerance = TOLERANCE if min(sides) >= _SMALL else _FINE
    while True:
        corners = _grown(cv2.approxPolyDP(contour, tolerance, True).reshape(-1, 2) + 0.5, size, scale)
        if len(corners) <= MOST_VERTICES:
            return Outline.of(OutlineKind.POLYGON, corners)
        tolerance *= 2


def _grown(centers: Any, size: tuple[int, int], scale: tuple[float, float]) -> list[Point]:
    """The corners of the area half a pixel around a contour, inside the mask, in pixels of the image."""
    kind = (shapely.Point, shapely.LineString, shapely.Polygon)[min(len(centers), 3) - 1]
    area = shapely.make_valid(kind(centers)).buffer(0.5, cap_style="square", join_style="mitre", mitre_limit=1.5)
    within = _filled(area.intersection(shapely.box(0, 0, *size)))
    scaled = shapely.transform(within, lambda points: np.round(points * scale, 2))
    if not scaled.is_valid:
        scaled = _filled(shapely.make_valid(scaled))
    return [(float(x), float(y)) for x, y in scaled.exterior.coords[:-1]]


def _filled(area: Any) -> Any:
    """The largest polygon of an area, without its holes."""
    parts = [one for one in shapely.get_parts(area) if one.geom_type == "Polygon"]
    return shapely.Polygon(max(parts, key=lambda one: float(one.area)).exterior)
