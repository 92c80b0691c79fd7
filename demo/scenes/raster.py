"""SVG to pixels."""

from __future__ import annotations

import numpy as np

from annotation.imaging.crops import Picture
from annotation.imaging.decoding import decode
from annotation.imaging.raster import png_of


def picture_of(svg: str, shade: float = 0) -> Picture:
    """The pixels that ``svg`` describes, RGB ``uint8``; the corners darker by the share ``shade`` (0..1)."""
    pixels = decode(png_of(svg))
    return darken_corners(pixels, shade) if shade else pixels


def darken_corners(pixels: Picture, shade: float) -> Picture:
    """``pixels`` times 1 - shade * max(0, d - 1/2)^2 / (1/2)^2, d = distance from the middle over half the diagonal.

    Done here and not in the SVG, where a translucent layer over a full image takes a second to draw.
    """
    height, width = pixels.shape[:2]
    across = np.linspace(-1, 1, width, dtype=np.float32) ** 2
    factor = np.empty(width, np.float32)
    for row, down in enumerate(np.linspace(-1, 1, height, dtype=np.float32) ** 2):
        far = np.clip(np.sqrt((across + down) / 2) - 0.5, 0, None) * 2
        np.multiply(far, far, out=factor)
        keep = ((1 - shade * factor) * 256).astype(np.uint16)
        pixels[row] = ((pixels[row].astype(np.uint16) * keep[:, None]) >> 8).astype(np.uint8)
    return pixels
