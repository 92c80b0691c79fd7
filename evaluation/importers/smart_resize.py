"""The size at which a model of the Qwen-VL family sees an image."""

from __future__ import annotations

import math

FACTOR = 28
MIN_PIXELS = 4 * 28 * 28
MAX_PIXELS = 16384 * 28 * 28
"""12,845,056."""
_LEAST = 1e-6
"""The shortest side that differs from no side, in pixels."""


def smart_resize(
    width: float, height: float, max_pixels: int = MAX_PIXELS, *, factor: int = FACTOR, min_pixels: int = MIN_PIXELS
) -> tuple[int, int]:
    """Both sides to the nearest multiple of ``factor``, the area between ``min_pixels`` and ``max_pixels``, the aspect
    about kept.

    ``(7680, 4320)`` gives ``(4760, 2688)``, ``(2250, 1500)`` gives ``(2240, 1512)``. Sides in pixels, above 0.
    """
    # The area of two sides of next to nothing is 0 as a float.
    width, height = max(width, _LEAST), max(height, _LEAST)
    wide = max(factor, round(width / factor) * factor)
    high = max(factor, round(height / factor) * factor)
    if wide * high > max_pixels:
        beta = math.sqrt(width * height / max_pixels)
        wide = max(factor, math.floor(width / beta / factor) * factor)
        high = max(factor, math.floor(height / beta / factor) * factor)
    elif wide * high < min_pixels:
        beta = math.sqrt(min_pixels / (width * height))
        wide = math.ceil(width * beta / factor) * factor
        high = math.ceil(height * beta / factor) * factor
    return wide, high
