"""The number of tokens that a model family makes of an image, by the published figures of the vendors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import ceil, floor, sqrt

from evaluation.importers.smart_resize import MAX_PIXELS, smart_resize

Sides = tuple[float, float]
_INTERNVL_TILE, _INTERNVL_MOST, _INTERNVL_TOKENS = 448, 12, 256
_ANTHROPIC_PIXELS = 1_150_000
_GEMINI_TILE, _GEMINI_SMALL = 258, 384


def image_tokens(width: int, height: int, family: str) -> int | None:
    """Return the tokens of an image of this size in pixels, None for a family not in ``FAMILIES``."""
    count = FAMILIES.get(family)
    return count(width, height) if count is not None else None


def tokens_of_images(sizes: Iterable[tuple[int, int]], family: str) -> int:
    """Return the tokens of all images of these (width, height) in pixels; 0 without images.

    Raises ``ValueError`` for a family not in ``FAMILIES``. Example: two images of 448 × 448 for ``internvl``: 512.
    """
    if family not in FAMILIES:
        raise ValueError(f"Unknown family {family[:40]!r}. Choose from {', '.join(FAMILIES)}.")
    return sum(FAMILIES[family](width, height) for width, height in sizes)


def _qwen2_5_vl(width: int, height: int) -> int:
    wide, high = smart_resize(width, height, MAX_PIXELS, factor=28)
    return wide * high // 28**2


def _qwen3_vl(width: int, height: int) -> int:
    wide, high = smart_resize(width, height, 16_777_216, factor=32, min_pixels=65_536)
    return wide * high // 32**2


def _internvl(width: int, height: int) -> int:
    """The grid of at most 12 tiles with the nearest aspect, and a thumbnail if it has several. Of equal aspects, the
    larger grid counts if the image fills more than half of it."""
    shapes = sorted(
        (
            (across, down)
            for across in range(1, _INTERNVL_MOST + 1)
            for down in range(1, _INTERNVL_MOST + 1)
            if across * down <= _INTERNVL_MOST
        ),
        key=lambda shape: shape[0] * shape[1],
    )
    best, least = (1, 1), float("inf")
    for across, down in shapes:
        difference = abs(width / height - across / down)
        fills = width * height > 0.5 * _INTERNVL_TILE**2 * across * down
        if difference < least or (difference == least and fills):
            best, least = (across, down), difference
    tiles = best[0] * best[1]
    return (tiles + (tiles > 1)) * _INTERNVL_TOKENS


def _openai_tiles(width: int, height: int) -> int:
    wide, high = _within(width, height, 2048 / max(width, height))
    wide, high = _within(wide, high, 768 / min(wide, high))
    return 85 + 170 * ceil(round(wide, 6) / 512) * ceil(round(high, 6) / 512)


def _anthropic(width: int, height: int) -> int:
    wide, high = _within(width, height, 1568 / max(width, height))
    wide, high = _within(wide, high, sqrt(_ANTHROPIC_PIXELS / (wide * high)))
    return max(1, round(wide * high / 750))


def _gemini(width: int, height: int) -> int:
    if max(width, height) <= _GEMINI_SMALL:
        return _GEMINI_TILE
    side = max(1, floor(min(width, height) / 1.5))
    return _GEMINI_TILE * ceil(width / side) * ceil(height / side)


def _within(width: float, height: float, scale: float) -> Sides:
    """Both sides made smaller by ``scale``; never larger."""
    return width * min(1.0, scale), height * min(1.0, scale)


FAMILIES: Mapping[str, Callable[[int, int], int]] = {
    "qwen2.5-vl": _qwen2_5_vl,
    "qwen3-vl": _qwen3_vl,
    "internvl": _internvl,
    "openai-tiles": _openai_tiles,
    "anthropic": _anthropic,
    "gemini": _gemini,
}
"""Model family to the tokens of an image of a width and height in pixels."""
