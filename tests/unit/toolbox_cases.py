"""Shared by the toolbox tests: one valid call of every tool, and a picture with something to find in it."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import cv2
import numpy as np

from annotation.toolbox.results import Picture

ARGUMENTS: dict[str, dict[str, Any]] = {
    "resize": {"preset": "half"},
    "rotate": {"angle": 30},
    "translate": {"direction": "left"},
    "flip": {"direction": "horizontal"},
    "crop": {"width": 20, "height": 10},
    "zoom_in": {"width": 20, "height": 10, "scale": 2},
    "pyramid": {"mode": "pyr_down"},
    "inrange_color": {"lower": [0, 0, 0], "upper": [90, 255, 255]},
    "blur": {"method": "gaussian", "ksize": 5},
    "gradients": {"mode": "sobel_x"},
    "floodfill": {"x": 3, "y": 3},
    "draw_line": {"x1": 2, "y1": 3, "x2": 30, "y2": 20},
    "draw_circle": {"x": 20, "y": 20, "radius": 8},
}
"""The required arguments of the tools that have any."""


def scene(width: int = 160, height: int = 120) -> Picture:
    """A white rectangle and a red disc on black, with a little fixed noise."""
    picture = np.random.default_rng(7).integers(0, 12, (height, width, 3), dtype=np.uint8)
    cv2.rectangle(picture, (15, 20), (54, 59), (255, 255, 255), -1)
    cv2.circle(picture, (110, 70), 25, (220, 30, 20), -1)
    return picture


def template() -> Picture:
    return scene()[55:65, 50:60].copy()


def one_color(width: int, height: int) -> bytes:
    """A gray PNG of many pixels and few bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(1)
    row = bytes(width + 1)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
