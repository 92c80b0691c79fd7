"""Gold with polygons or points: areas and shares by shapely (docs/metrics.md#shapes).

Sets of boxes alone never come here. An outline of ``BoxSets`` is a shapely geometry in pixels, clipped to its image: a
polygon, or a point. Where a set has an area, its points count nothing; a set of points alone has a share of points.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.regions import only_areas, region_of_shape
from annotation.schema import Outline, OutlineKind
from evaluation.metrics.columns import Bools, Floats, Ints
from evaluation.metrics.ragged import TIE, count_true

with suppress(ModuleNotFoundError):  # The rewards of trainers install NumPy alone; their gold has boxes.
    import shapely

Geometries = NDArray[np.object_]


def geometry_of(outline: Outline, size: Floats) -> Any:
    """Return the part of an outline inside an image of (2,) width and height; None if nothing is left, or if the size
    is NaN. The edges of the image are inside."""
    width, height = size
    if np.isnan(width):
        return None
    if outline.kind is OutlineKind.POINT:
        return shapely.Point(outline.points[0]) if outline.is_inside(width, height) else None
    found = only_areas(region_of_shape(outline).intersection(shapely.box(0, 0, width, height)))
    return None if found.is_empty else found


def shapes_in(boxes: Floats, outlines: Geometries) -> Geometries:
    """(k,) geometries: the outlines, and the boxes where there is none."""
    found = outlines.copy()
    plain = ~_given(outlines)
    found[plain] = shapely.box(*boxes[plain].T)
    return found


def areas_in(shapes: Geometries) -> Geometries:
    """The shapes that have an area."""
    kept: Geometries = shapes[shapely.get_dimensions(shapes) == 2]
    return kept


def union_area(shapes: Geometries) -> float:
    """The area that shapes cover together, square pixels; NaN without an area."""
    areas = areas_in(shapes)
    return float(shapely.union_all(areas).area) if len(areas) else np.nan


def shares_of(crops: Floats, shapes: Geometries, multi_gold: str) -> tuple[float, float, float, float]:
    """Return coverage, concentration, IoA and IoU of the union of (p, 4) crops with k shapes of gold.

    coverage = area(∪ gold ∩ ∪ crops) / area(∪ gold), concentration = the same over area(∪ crops). Points alone:
    coverage = IoA = the share of points inside a crop, edges included (within 1e-9); concentration and IoU are NaN.
    ``multi_gold`` other than "union": of each shape with an area, or of each point, as in ``measure_regions``.
    """
    areas = areas_in(shapes)
    if not len(areas):
        return _share_of_points(crops, shapely.get_coordinates(shapes), multi_gold)
    region = shapely.union_all(shapely.box(*crops.T))
    gold = np.array([shapely.union_all(areas)]) if multi_gold == "union" else areas
    common, size, whole = shapely.area(shapely.intersection(gold, region)), shapely.area(gold), region.area
    coverage, concentration = np.minimum(common / size, 1.0), np.minimum(common / whole, 1.0)
    iou = np.minimum(common / (size + whole - common), 1.0)
    each = np.stack([coverage, concentration, np.maximum(coverage, concentration), iou], axis=1)
    found = each.mean(axis=0) if multi_gold == "mean" else each[_chosen(each[:, 2], multi_gold)]
    return float(found[0]), float(found[1]), float(found[2]), float(found[3])


def center_inside(box: Floats, shapes: Geometries) -> bool | None:
    """Whether the center of a crop is in a shape, its edge included (within 1e-9); None without an area."""
    areas = areas_in(shapes)
    if not len(areas):
        return None
    center = shapely.Point((box[:2] + box[2:]) / 2)
    return bool((shapely.distance(areas, center) <= TIE).any())


def _share_of_points(crops: Floats, points: Floats, multi_gold: str) -> tuple[float, float, float, float]:
    after, before = points[:, None, :] >= crops[None, :, :2] - TIE, points[:, None, :] <= crops[None, :, 2:] + TIE
    inside = np.any(np.all(after & before, axis=2), axis=1)
    share = {"any": inside.any(), "all": inside.all()}.get(multi_gold, inside.mean())
    return float(share), np.nan, float(share), np.nan


def _chosen(ioa: Floats, multi_gold: str) -> int:
    """The shape with the highest IoA ("any") or the lowest ("all"); ties within 1e-9: the first."""
    values = ioa if multi_gold == "any" else -ioa
    return int(np.flatnonzero(values >= values.max() - TIE)[0])


def rows_with(outlines: Geometries, start: Ints) -> Bools:
    """(n,) the rows of a ragged column that own an outline."""
    found: Bools = count_true(_given(outlines), start) > 0
    return found


def _given(outlines: Geometries) -> Bools:
    return np.array([outline is not None for outline in outlines], np.bool_)
