"""Deep-zoom tiles and thumbnails.

Levels are numbered like in DZI and OpenSeadragon: level 0 is 1 × 1 pixel, each level doubles, the last level is the
image itself. Level sizes round up. A tile covers 512 × 512 pixels of its level plus one pixel of its neighbors on every
inner side (``OVERLAP``), which prevents hairline seams in OpenSeadragon.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from PIL import ImageFile

from annotation.imaging.crops import Picture, encode_jpeg, fitted, scaled, shrink_to
from annotation.imaging.decoding import decode, opened_jpeg, rgb_of, upright
from annotation.imaging.opening import Source
from annotation.imaging.problems import PictureProblem

TILE_SIZE = 512
OVERLAP = 1
QUALITY = 88
THUMBNAIL_QUALITY = 85


@dataclass(frozen=True, slots=True)
class Tile:
    """One JPEG tile: ``bytes`` at ``column``, ``row`` of ``level``."""

    level: int
    column: int
    row: int
    bytes: bytes


@dataclass(frozen=True, slots=True)
class TileArea:
    """The pixels of its level that a tile shows: ``left`` to ``right`` and ``top`` to ``bottom``, overlap included."""

    column: int
    row: int
    left: int
    top: int
    right: int
    bottom: int


def levels(width: int, height: int) -> tuple[tuple[int, int], ...]:
    """Return (width, height) of every level, level 0 (1 × 1) first, the image last. Each is half the next,
    rounded up.
    """
    if min(width, height) < 1:
        raise ValueError(f"An image of {width} × {height} has no levels.")
    sizes = [(width, height)]
    while sizes[-1] != (1, 1):
        sizes.append(((sizes[-1][0] + 1) // 2, (sizes[-1][1] + 1) // 2))
    return tuple(reversed(sizes))


def tile_count(width: int, height: int) -> int:
    """Return the number of tiles in all levels of a ``width`` × ``height`` image."""
    return sum(-(-w // TILE_SIZE) * -(-h // TILE_SIZE) for w, h in levels(width, height))


def tile_areas(width: int, height: int) -> Iterator[TileArea]:
    """Yield the tiles of one level of this size, row by row."""
    for row in range(-(-height // TILE_SIZE)):
        for column in range(-(-width // TILE_SIZE)):
            yield TileArea(
                column,
                row,
                max(column * TILE_SIZE - OVERLAP, 0),
                max(row * TILE_SIZE - OVERLAP, 0),
                min((column + 1) * TILE_SIZE + OVERLAP, width),
                min((row + 1) * TILE_SIZE + OVERLAP, height),
            )


def pyramid(source: Source) -> Iterator[Tile]:
    """Yield all tiles of an image file, largest level first; equal files give equal bytes.

    Peak memory: the decoded image and a quarter of it. Raises ``PictureProblem``.
    """
    # No name here refers to the full image, so that it is freed as soon as the first level is cut.
    return tiles_of([decode(source)])


def tiles_of(pictures: list[Picture]) -> Iterator[Tile]:
    """Yield all tiles of the one image in ``pictures``. It is removed from the list and freed early."""
    picture = pictures.pop()
    level = len(levels(picture.shape[1], picture.shape[0])) - 1
    while True:
        for area in tile_areas(picture.shape[1], picture.shape[0]):
            data = encode_jpeg(picture[area.top : area.bottom, area.left : area.right], QUALITY)
            yield Tile(level, area.column, area.row, data)
        if level == 0:
            return
        picture, level = halved(picture), level - 1


def halved(picture: Picture) -> Picture:
    """Return half the size, rounded up: each pixel is the mean of the 2 × 2 it covers (fewer at an odd edge).

    Pixel i covers exactly pixels 2i and 2i+1, so that levels stay aligned.
    """
    height, width = picture.shape[:2]
    out = np.empty(((height + 1) // 2, (width + 1) // 2, *picture.shape[2:]), np.uint8)
    for rows_in, rows in _pairs(height):
        for columns_in, columns in _pairs(width):
            size = (columns.stop - columns.start, rows.stop - rows.start)
            # Written into the result itself, because a copy of this part would be the second largest array.
            cv2.resize(picture[rows_in, columns_in], size, dst=out[rows, columns], interpolation=cv2.INTER_AREA)
    return out


def _pairs(length: int) -> Iterator[tuple[slice, slice]]:
    """Yield (input, output) spans of a halved side: all full pairs, then the odd one."""
    whole = length // 2
    if whole:
        yield slice(0, 2 * whole), slice(0, whole)
    if length % 2:
        yield slice(length - 1, length), slice(whole, whole + 1)


def thumbnail(source: Source, max_side: int) -> bytes:
    """Return a JPEG of the full image within ``max_side`` × ``max_side``, upright, never enlarged.

    A JPEG is decoded at a fraction of its size (its transform blocks allow eighths), other formats at full size.
    """
    with opened_jpeg(source) as jpeg:
        if jpeg is not None:
            return encode_jpeg(_drafted(*jpeg, max_side), THUMBNAIL_QUALITY)
    return encode_jpeg(shrink_to(decode(source), max_side), THUMBNAIL_QUALITY)


def _drafted(image: ImageFile.ImageFile, orientation: int, max_side: int) -> Picture:
    size = fitted(*image.size, max_side)
    try:
        image.draft("RGB", (size[0] * 2, size[1] * 2))  # twice the size, so that the last step still averages
        return upright(scaled(rgb_of(image), *size).copy(), orientation)
    except OSError as error:
        raise PictureProblem(
            "damaged", "The JPEG data is damaged and cannot be decoded. Export the file again."
        ) from error
