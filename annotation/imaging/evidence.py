"""The evidence with its surroundings, for the loupe over a thumbnail."""

from __future__ import annotations

from pathlib import Path

from annotation.imaging.crops import Picture, crop, encode_jpeg, scaled
from annotation.imaging.decoding import decode
from annotation.schema import Box

CONTEXT = 1.5
"""The loupe shows this many times the longer side of the evidence."""

MIN_SIDE = 64
"""... and at least this many pixels of the picture, so that a dot is seen somewhere."""


def loupe_area(width: int, height: int, box: Box) -> Box:
    """The square around ``box`` that the loupe shows, in whole pixels: moved, then cut, to lie inside the picture."""
    side = round(max(CONTEXT * max(box.width, box.height), MIN_SIDE))
    across, down = min(side, width), min(side, height)
    left = min(max(round((box.x1 + box.x2 - across) / 2), 0), width - across)
    top = min(max(round((box.y1 + box.y2 - down) / 2), 0), height - down)
    return Box(left, top, left + across, top + down)


def loupe(source: Path | str | bytes | Picture, box: Box, size: int) -> bytes:
    """A JPEG of the evidence in its surroundings (``loupe_area``), its longer side exactly ``size`` pixels.

    ``box`` is in pixels of the upright picture. Raises ``ValueError`` for a box outside the picture, and
    ``PictureProblem`` for a file that is none.
    """
    picture = decode(source) if isinstance(source, Path | str | bytes) else source
    height, width = picture.shape[:2]
    if box.clipped(width, height) is None:
        raise ValueError(f"The box {box.as_list()} lies outside the {width} × {height} picture.")
    part = crop(picture, loupe_area(width, height, box))
    scale = size / max(part.shape[:2])
    return encode_jpeg(scaled(part, max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale))), 90)
