"""The evidence of a sample: how much of the image it is, and how a loupe over a thumbnail shows it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from annotation.imaging.crops import Picture, crop, encode_jpeg, scaled
from annotation.imaging.decoding import decode
from annotation.regions import has_outlines, share_of_image
from annotation.schema import Box, Outline, Point

CONTEXT = 1.5
"""The loupe shows this many times the longer side of the evidence."""

MIN_SIDE = 64
"""... and at least this many pixels of the image, so that a dot is seen somewhere."""

WIDE_CONTEXT = 1.6
"""Width of a wide area, as a multiple of the width of all boxes together; at least ``WIDE_LEAST`` pixels."""
WIDE_LEAST = 160
WIDE_RATIO = 16 / 9


def evidence_share(boxes: Sequence[Box], width: float | None, height: float | None) -> float | None:
    """Area of the union of the boxes inside the image / area of the image, 0..1: overlaps count once
    (docs/metrics.md#benchmark-statistics).

    None when the size is unknown or no area lies inside; a point has none. ``annotation.regions`` sums polygons.
    Between two neighboring vertical edges the boxes that span the slab are taken from top to bottom, each adding what
    reaches below those before it.
    """
    if not width or not height:
        return None
    if has_outlines(boxes):
        return share_of_image(boxes, width, height)
    inside = [part for box in boxes if (part := box.clipped(width, height))]
    edges = sorted({edge for box in inside for edge in (box.x1, box.x2)})
    covered = 0.0
    for left, right in pairwise(edges):
        reached = 0.0
        for top, bottom in sorted((box.y1, box.y2) for box in inside if box.x1 <= left and box.x2 >= right):
            covered += (right - left) * max(bottom - max(top, reached), 0.0)
            reached = max(reached, bottom)
    return covered / (width * height) if inside else None


def loupe_area(width: int, height: int, box: Box) -> Box:
    """The square around ``box`` that the loupe shows, in whole pixels: moved, then cut, to lie inside the image."""
    side = round(max(CONTEXT * max(box.width, box.height), MIN_SIDE))
    across, down = min(side, width), min(side, height)
    left = min(max(round((box.x1 + box.x2 - across) / 2), 0), width - across)
    top = min(max(round((box.y1 + box.y2 - down) / 2), 0), height - down)
    return Box(left, top, left + across, top + down)


def wide_area(width: int, height: int, boxes: Sequence[Box]) -> Box:
    """The part of an image around all the boxes, 16:9 where it fits, in whole pixels; without boxes all of it."""
    if not boxes:
        return Box(0, 0, width, height)
    left, right = min(box.x1 for box in boxes), max(box.x2 for box in boxes)
    top, bottom = min(box.y1 for box in boxes), max(box.y2 for box in boxes)
    across = max(WIDE_CONTEXT * (right - left), WIDE_CONTEXT * (bottom - top) * WIDE_RATIO, WIDE_LEAST)
    wide, high = min(round(across), width), min(round(across / WIDE_RATIO), height)
    x = min(max(round((left + right - wide) / 2), 0), width - wide)
    y = min(max(round((top + bottom - high) / 2), 0), height - high)
    return Box(x, y, x + wide, y + high)


def moved_into(area: Box, box: Box) -> Box:
    """The shape in pixels of ``area``, measured from its left upper corner."""
    if isinstance(box, Outline):
        return box.moved(lambda x, y: (x - area.x1, y - area.y1))
    return Box(box.x1 - area.x1, box.y1 - area.y1, box.x2 - area.x1, box.y2 - area.y1)


def polygon_pixels(points: Sequence[Point], left: int, top: int, right: int, bottom: int) -> Picture:
    """Where a part of an image lies in a polygon: 1 in every pixel that the polygon touches and in up to two around it,
    else 0."""
    found = np.zeros((bottom - top, right - left), np.uint8)
    # A whole number is the middle of a pixel here; the last four bits are fractions of it.
    corners = np.rint((np.array(points, np.float64) - (left + 0.5, top + 0.5)) * 16).astype(np.int32)
    cv2.fillPoly(found, [corners], 1, shift=4)
    # A pixel that is only touched has its middle outside.
    return cv2.dilate(found, np.ones((3, 3), np.uint8)).astype(np.uint8)


def crop_area(width: int, height: int, box: Box, margin: float) -> Box:
    """``box`` with ``margin`` times its longer side around it, in whole pixels, as far as the image reaches."""
    around = margin * max(box.width, box.height)
    left, top = max(math.floor(box.x1 - around), 0), max(math.floor(box.y1 - around), 0)
    return Box(left, top, min(math.ceil(box.x2 + around), width), min(math.ceil(box.y2 + around), height))


def loupe(source: Path | str | bytes | Picture, box: Box, size: int) -> bytes:
    """A JPEG of the evidence in its surroundings (``loupe_area``), its longer side exactly ``size`` pixels.

    ``box`` is in pixels of the upright image. Raises ``ValueError`` for a box outside the image, and
    ``PictureProblem`` for a file that is none.
    """
    picture = decode(source) if isinstance(source, Path | str | bytes) else source
    height, width = picture.shape[:2]
    if box.clipped(width, height) is None:
        raise ValueError(f"The box {box.as_list()} lies outside the {width} × {height} picture.")
    part = crop(picture, loupe_area(width, height, box))
    scale = size / max(part.shape[:2])
    return encode_jpeg(scaled(part, max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale))), 90)
