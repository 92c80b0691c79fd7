"""Polygons around the painted areas of a mask: contours by OpenCV, valid by shapely.

A contour of OpenCV goes through the centers of the outermost pixels. It is simplified there (Douglas and Peucker), and
then grown by half a pixel to the edges of these pixels. Holes are filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
MOST = 20
"""Polygons of one mask, unless fewer are wanted."""
MOST_EDGES = 500_000
"""Ends of painted parts of rows. A mask with more is scattered pixels and no shape."""


@dataclass(frozen=True, slots=True)
class Traced:
    """The polygons around a mask. ``left_out``: further areas, which are small or beyond the most; ``filled``: pixels
    of holes in all areas, which the polygons cover."""

    outlines: Sequence[Outline]
    left_out: int
    filled: int

    def __str__(self) -> str:
        """The polygons and what was simplified, after "The mask became"."""
        parts = [f"{len(self.outlines)} polygon{'s' if len(self.outlines) > 1 else ''} around its areas"]
        parts += [f"pixels of holes filled: {self.filled:,}"] if self.filled else []
        parts += [f"further areas left out: {self.left_out:,}"] if self.left_out else []
        return "; ".join(parts)


def trace(mask: Mask, size: tuple[int, int] | None = None, *, most: int = MOST, at: tuple[int, int] = (0, 0)) -> Traced:
    """Return at most ``most`` polygons around the separate areas of a mask, the largest first. Pixels that touch at a
    corner are of one area. ``size``: width and height of the image whose pixels the polygons are in; None: the mask's.
    ``at``: where the mask is in the image, if it is a part of it.

    Each polygon is valid, and its corners are inside the image. For areas of at least 100 pixels that are at least 6
    pixels wide and high everywhere, the IoU with the area without holes is at least 0.9. Raises ``ScatteredMask``.
    """
    height, width = mask.shape
    _check(mask)
    contours, _ = cv2.findContours(mask.view(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE, offset=at)
    sizes = [_pixels(one) for one in contours]
    ranked = sorted(((pixels, -place) for place, pixels in enumerate(sizes)), reverse=True)[:most]
    kept = [-place for pixels, place in ranked if pixels >= LEAST_SHARE * ranked[0][0]]
    scale = (size[0] / width, size[1] / height) if size else (1.0, 1.0)
    within = shapely.box(*at, at[0] + width, at[1] + height)
    outlines = [_outline(contours[place], within, scale) for place in kept]
    return Traced(outlines, len(contours) - len(kept), sum(sizes) - int(np.count_nonzero(mask)))


def _check(mask: Mask) -> None:
    edges = sum(int(np.count_nonzero(row[1:] != row[:-1])) + 2 for row in mask if row.any())
    if edges > MOST_EDGES:
        raise ScatteredMask(f"A mask is scattered: its rows have {edges:,} ends, and {MOST_EDGES:,} are allowed.")


def _pixels(contour: Any) -> int:
    """The number of pixels on and inside a contour through their centers, by Pick's theorem."""
    steps = int(np.abs(np.diff(contour, axis=0, append=contour[:1])).max(axis=2).sum())
    return int(cv2.contourArea(contour) + steps / 2) + 1


def _outline(contour: Any, within: Any, scale: tuple[float, float]) -> Outline:
    _, _, *sides = cv2.boundingRect(contour)
    tolerance = TOLERANCE if min(sides) >= _SMALL else _FINE
    while True:
        corners = _grown(cv2.approxPolyDP(contour, tolerance, True).reshape(-1, 2) + 0.5, within, scale)
        if len(corners) <= MOST_VERTICES:
            return Outline.of(OutlineKind.POLYGON, corners)
        tolerance *= 2


def _grown(centers: Any, mask: Any, scale: tuple[float, float]) -> list[Point]:
    """The corners of the area half a pixel around a contour, inside the mask, in pixels of the image."""
    kind = (shapely.Point, shapely.LineString, shapely.Polygon)[min(len(centers), 3) - 1]
    area = shapely.make_valid(kind(centers)).buffer(0.5, cap_style="square", join_style="mitre", mitre_limit=1.5)
    within = _filled(area.intersection(mask))
    scaled = shapely.transform(within, lambda points: np.round(points * scale, 2))
    if not scaled.is_valid:
        scaled = _filled(shapely.make_valid(scaled))
    return [(float(x), float(y)) for x, y in scaled.exterior.coords[:-1]]


def _filled(area: Any) -> Any:
    """The largest polygon of an area, without its holes."""
    parts = [one for one in shapely.get_parts(area) if one.geom_type == "Polygon"]
    return shapely.Polygon(max(parts, key=lambda one: float(one.area)).exterior)
