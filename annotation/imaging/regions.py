"""A region of a stored image, cut out of its tiles: a few small files are read instead of the full image."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from annotation.imaging.crops import Picture, crop, encode_jpeg, fitted, scaled
from annotation.imaging.problems import PictureProblem
from annotation.imaging.pyramid import TileArea, levels, tile_areas
from annotation.schema import Box

ReadTile = Callable[[int, int, int], bytes]
"""``(level, column, row)`` to the JPEG bytes of that tile."""

MAX_ENLARGED = 8.0


def region(width: int, height: int, box: Box, max_side: int, read_tile: ReadTile) -> bytes:
    """The part of a ``width`` × ``height`` image inside ``box`` as JPEG, its longer side at most ``max_side``.

    Read from the smallest level that still has a pixel for every pixel of the result; a small region is enlarged, at
    most eightfold. Raises ``PictureProblem`` for a box outside the image.
    """
    inside = box.clipped(width, height)
    if inside is None:
        raise PictureProblem("outside-picture", f"The box is outside the image of {width} × {height}.")
    sizes = levels(width, height)
    level = _level_for(sizes, inside, max_side)
    level_width, level_height = sizes[level]
    scale = 1 / 2 ** (len(sizes) - 1 - level)
    local = Box(inside.x1 * scale, inside.y1 * scale, inside.x2 * scale, inside.y2 * scale)
    pixels = _stitched(level, level_width, level_height, local, read_tile)
    wanted = _wanted_size(inside, max_side)
    return encode_jpeg(scaled(pixels, *wanted), 88)


def _level_for(sizes: tuple[tuple[int, int], ...], box: Box, max_side: int) -> int:
    top = len(sizes) - 1
    for level in range(top):
        if max(box.width, box.height) / 2 ** (top - level) >= max_side:
            return level
    return top


def _wanted_size(box: Box, max_side: int) -> tuple[int, int]:
    longest = max(box.width, box.height)
    if longest >= max_side:
        return fitted(max(1, round(box.width)), max(1, round(box.height)), max_side)
    scale = min(max_side / longest, MAX_ENLARGED)
    return max(1, round(box.width * scale)), max(1, round(box.height * scale))


def _stitched(level: int, width: int, height: int, box: Box, read_tile: ReadTile) -> Picture:
    """The pixels of ``box`` (in pixels of the level), from those tiles that it touches."""
    touched = [area for area in tile_areas(width, height) if _touches(area, box)]
    left, top = min(a.left for a in touched), min(a.top for a in touched)
    canvas = np.zeros((max(a.bottom for a in touched) - top, max(a.right for a in touched) - left, 3), np.uint8)
    for area in touched:
        data = read_tile(level, area.column, area.row)
        tile = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB)
        if tile is None:
            raise PictureProblem(
                "damaged", f"Tile {level}/{area.column}_{area.row} is damaged. Create the tiles again."
            )
        canvas[area.top - top : area.bottom - top, area.left - left : area.right - left] = tile
    moved = Box(box.x1 - left, box.y1 - top, box.x2 - left, box.y2 - top)
    return crop(canvas, moved)


def _touches(area: TileArea, box: Box) -> bool:
    return area.left < box.x2 and area.right > box.x1 and area.top < box.y2 and area.bottom > box.y1
