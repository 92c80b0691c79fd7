"""The shapes of an annotation of COCO in native form: a box, polygons, the polygons around a mask, or a point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.imaging.brush import MaskError
from annotation.imaging.coco_masks import read_coco_mask
from annotation.importers import fields
from annotation.importers.boxes import corners
from annotation.importers.fields import Report

MOST_PIXELS_OF_FILE = 20_000_000_000
"""Pixels in the painted parts of all masks of a file, which take about three minutes."""

Size = tuple[int, int]


@dataclass(slots=True)
class CocoAnnotation:
    """``number``: its id; ``written``: its box as in the file, and ``box`` as corners. ``size``: width and height of
    its mask, None without one."""

    number: object
    written: object
    box: Any
    shapes: list[Any]
    category: int | str = ""
    size: Size | None = None

    def shapes_on(self, size: tuple[Any, Any], report: Report) -> list[Any]:
        """The shapes on an image of this size, None where it is unknown; the box where the mask has another size."""
        if self.size is None or None in size or self.size == size:
            return self.shapes
        width, height = self.size
        done = (
            f"The mask of annotation {self.number} has {width} × {height} pixels, which is not the size of its image, "
            "so its box was read. Write the mask in pixels of the image."
        )
        report.repaired("mask-of-another-size", "segmentation", f"{width} × {height}", done)
        return [self.box]


@dataclass(slots=True)
class ShapeReader:
    """Reads the shapes of all annotations of a file. ``polygons``: masks become polygons, else boxes."""

    polygons: bool
    pixels: int = MOST_PIXELS_OF_FILE

    def read(self, data: Mapping[str, Any], report: Report) -> CocoAnnotation | None:
        """None if the box is invalid, which is reported with the number of the annotation."""
        box = _box(data, report)
        if box is None:
            return None
        found = CocoAnnotation(data.get("id"), data.get("bbox"), box, [box])
        parts, points = data.get("segmentation"), data.get("keypoints")
        if isinstance(points, list) and data.get("num_keypoints") == 1 and len(points) == 3:
            found.shapes = [{"kind": "point", "points": [points[:2]]}]
        elif isinstance(parts, Mapping):
            self._take_mask(found, parts, report)
        elif parts:
            found.shapes = _polygons(data, parts, report) or [box]
        if data.get("iscrowd") == 1:
            done = f"Annotation {found.number} is a crowd (iscrowd), so its evidence is around several objects."
            report.noted("crowd", "iscrowd", 1, done)
        return found

    def _take_mask(self, found: CocoAnnotation, code: Mapping[str, Any], report: Report) -> None:
        """Give the annotation the polygons around the areas of its mask; the box stays if that is not possible."""
        # Not at the top: code without images imports this package, and must not load OpenCV.
        from annotation.imaging.outlines import trace

        named = f"The segmentation of annotation {found.number} is a mask (RLE)"
        if not self.polygons:
            done = f"{named}, and the task allows no polygons, so its box was read. Allow polygons before the import."
            report.noted("not-polygons", "segmentation", None, done)
            return
        try:
            if self.pixels <= 0:
                raise MaskError(f"The masks of a file can have {MOST_PIXELS_OF_FILE:,} pixels together.")
            placed = read_coco_mask(code)
            self.pixels -= placed.mask.size
            traced = trace(placed.mask, at=(placed.left, placed.top))
        except MaskError as problem:
            done = f"{named} that can't be read, so its box was read. {problem}"
            report.repaired("mask-unreadable", "segmentation", None, done)
            return
        found.size = (placed.width, placed.height)
        [first, *others] = traced.outlines
        if not others and _is_its_box([value for point in first.points for value in point], found.written):
            return
        found.shapes = [one.written() for one in traced.outlines]
        report.noted("mask-as-polygons", "segmentation", None, f"{named}. It became {traced}.")


def _box(data: Mapping[str, Any], report: Report) -> object:
    """Return the box as corners. Return None if it is invalid, which is reported with the number of the annotation."""
    written = data.get("bbox")
    numbers = fields.four_numbers(written)
    ignored = f"The box of annotation {data.get('id')} was ignored."
    if numbers is None:
        report.repaired("box-not-numbers", "bbox", written, f"It must be four numbers: x, y, width, height. {ignored}")
    elif min(numbers[2:]) <= 0:
        report.repaired("box-empty", "bbox", written, f"Width and height of a box must be above 0. {ignored}")
    else:
        return corners(written)
    return None


def _polygons(data: Mapping[str, Any], parts: object, report: Report) -> list[Any]:
    """Return the polygons of a segmentation in native form; none for the rectangle of its box."""
    if not isinstance(parts, list) or not all(_is_polygon(part) for part in parts):
        done = f"The segmentation of annotation {data.get('id')} is no list of polygons, so only its box was read."
        report.noted("not-polygons", "segmentation", None, f"{done} Write polygons.")
        return []
    if len(parts) == 1 and _is_its_box(parts[0], data.get("bbox")):
        return []
    return [
        {"kind": "polygon", "points": [list(pair) for pair in zip(part[::2], part[1::2], strict=True)]}
        for part in parts
    ]


def _is_polygon(part: object) -> bool:
    """Whether a part is x, y, x, y … of three corners or more."""
    return isinstance(part, list) and len(part) >= 6 and len(part) % 2 == 0


def _is_its_box(flat: list[Any], box: Any) -> bool:
    """Whether a segmentation is the outline of its box, as tools write for boxes."""
    numbers = fields.four_numbers(box)
    if numbers is None or len(flat) not in (8, 10) or not all(map(fields.is_number, flat)):
        return False
    x, y, width, height = numbers
    corners_of_box = {(x, y), (x + width, y), (x, y + height), (x + width, y + height)}
    return set(zip(flat[::2], flat[1::2], strict=True)) == corners_of_box
