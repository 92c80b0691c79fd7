"""Pixels in, pixels or bytes out: crops, shrunken copies, encodings. Images are RGB ``uint8`` (h, w, 3)."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from annotation.schema import Box

Picture = NDArray[np.uint8]
"""RGB of shape (height, width, 3), or gray of shape (height, width), upright, 0 to 255."""

_SLACK = 1e-6


def pixel_box(box: Box, width: int, height: int) -> tuple[int, int, int, int]:
    """The smallest rectangle of whole pixels that covers ``box`` inside an image: floor, floor, ceil, ceil, clipped.

    Rounding outwards cuts no evidence; a millionth of a pixel, which is arithmetic dust, does not add a row. Raises
    ``ValueError`` if no part of the box is inside the image.
    """
    inside = box.clipped(width, height)
    if inside is None:
        raise ValueError(f"The box {box.as_list()} lies outside the {width} × {height} picture.")
    left, top = min(math.floor(inside.x1 + _SLACK), width - 1), min(math.floor(inside.y1 + _SLACK), height - 1)
    right, bottom = math.ceil(inside.x2 - _SLACK), math.ceil(inside.y2 - _SLACK)
    return left, top, max(right, left + 1), max(bottom, top + 1)


def crop(picture: Picture, box: Box) -> Picture:
    """A copy of the pixels that ``box`` touches (``pixel_box``). Raises ``ValueError`` when it lies outside."""
    left, top, right, bottom = pixel_box(box, picture.shape[1], picture.shape[0])
    return picture[top:bottom, left:right].copy()


def scaled(picture: Picture, width: int, height: int) -> Picture:
    """``picture`` at exactly ``width`` × ``height``: area means when shrinking, bicubic when enlarging."""
    if (width, height) == (picture.shape[1], picture.shape[0]):
        return picture
    shrinks = width <= picture.shape[1] and height <= picture.shape[0]
    how = cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(picture, (width, height), interpolation=how), dtype=np.uint8)


def fitted(width: int, height: int, max_side: int) -> tuple[int, int]:
    """The size within ``max_side`` × ``max_side`` of the same shape, at least 1 × 1; never larger than given."""
    scale = min(1.0, max_side / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def shrink_to(picture: Picture, max_side: int) -> Picture:
    """The full image as a model sees it whose longer side may have ``max_side`` pixels. Never enlarges."""
    if max_side < 1:
        raise ValueError(f"max_side = {max_side}: at least 1 is needed.")
    return scaled(picture, *fitted(picture.shape[1], picture.shape[0], max_side))


def encode_jpeg(picture: Picture, quality: int = 88, halved: bool = False) -> bytes:
    """JPEG bytes; ``halved`` stores colors at half the size (4:2:0).

    By default they keep theirs, since evidence is often a few colored pixels.
    """
    colours = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420 if halved else cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444
    settings = [cv2.IMWRITE_JPEG_QUALITY, quality, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, colours]
    return _encoded(".jpg", picture, settings)


def _encoded(suffix: str, picture: Picture, settings: list[int]) -> bytes:
    stored = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR) if picture.ndim == 3 else picture
    done, data = cv2.imencode(suffix, stored, settings)
    if not done:
        raise ValueError(f"The {picture.shape} image could not be written as {suffix}.")
    return data.tobytes()
