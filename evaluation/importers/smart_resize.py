"""The size at which a Qwen2.5-VL server sees a picture."""

from __future__ import annotations

import math

FACTOR = 28
MIN_PIXELS = 4 * 28 * 28
MAX_PIXELS = 16384 * 28 * 28
"""12,845,056."""


def smart_resize(width: int, height: int, max_pixels: int = MAX_PIXELS) -> tuple[int, int]:
    """Both sides to the nearest multiple of 28, the area between 3,136 and ``max_pixels``, the aspect about kept.

    ``(7680, 4320)`` gives ``(4760, 2688)``, ``(2250, 1500)`` gives ``(2240, 1512)``. Sides in pixels, at least 1.
    Source: FORMATS 1a and 1b.
    """
    wide = max(FACTOR, round(width / FACTOR) * FACTOR)
    high = max(FACTOR, round(height / FACTOR) * FACTOR)
    if wide * high > max_pixels:
        beta = math.sqrt(width * height / max_pixels)
        wide = max(FACTOR, math.floor(width / beta / FACTOR) * FACTOR)
        high = max(FACTOR, math.floor(height / beta / FACTOR) * FACTOR)
    elif wide * high < MIN_PIXELS:
        beta = math.sqrt(MIN_PIXELS / (width * height))
        wide = math.ceil(width * beta / FACTOR) * FACTOR
        high = math.ceil(height * beta / FACTOR) * FACTOR
    return wide, high
