"""What an agent is shown, the whole picture or a crop: at most 1024 pixels on the longer side, sent as a JPEG."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotation.imaging.crops import Picture, crop, encode_jpeg, fitted, pixel_box, scaled, shrink_to
from annotation.imaging.decoding import decode
from annotation.schema import ORIGINAL, Box
from demo.agents.matching import Field
from evaluation.schema import Condition

BUDGET = 1024
"""The longer side of everything an agent is handed, in pixels."""
QUALITY = 75
"""JPEG quality at which everything is handed over, colors at half the size: what Pillow writes unless told otherwise.

Whole image and crop are treated alike. It matters for a matcher that knows every value to the pixel: without any loss
it could tell shrunken values apart that differ by a few gray levels, which no person sees.
"""


@dataclass(frozen=True, eq=False)
class View:
    """Something seen.

    ``size`` is the size at which it was handed over, ``pixels`` what can be made out of it: the same, but never more
    than the original has, since enlarging adds nothing. ``scale`` is pixels of ``pixels`` per pixel of the original.
    ``box`` is the region of the original that is shown, or that noise represents.
    """

    name: str
    pixels: Picture
    scale: float
    size: tuple[int, int]
    box: tuple[int, int, int, int]

    @cached_property
    def field(self) -> Field:
        return Field(self.pixels)


def whole_view(picture: Picture) -> View:
    """The full image within the budget."""
    height, width = picture.shape[:2]
    seen = _sent(shrink_to(picture, BUDGET))
    return View(ORIGINAL, seen, seen.shape[1] / width, fitted(width, height, BUDGET), (0, 0, width, height))


def crop_view(picture: Picture, asked: Box, name: str, condition: str, seed: str) -> View:
    """What comes back for a zoom into ``asked`` (pixels of the original): resized so that its longer side is 1024.

    Under ``visual`` the pixels are noise of the same size, under ``placebo`` another region of the same size. Raises
    ``ValueError`` when the box lies outside the image.
    """
    height, width = picture.shape[:2]
    box = pixel_box(asked, width, height)
    if condition == Condition.PLACEBO:
        box = _elsewhere(box, width, height, random.Random(f"placebo:{seed}:{name}"))
    cut = crop(picture, Box(*box))
    if condition == Condition.VISUAL:
        cut = noise_like(cut, random.Random(f"noise:{seed}:{name}").getrandbits(32))
    h, w = cut.shape[:2]
    stretch = BUDGET / max(w, h)
    size = (max(1, round(w * stretch)), max(1, round(h * stretch)))
    scale = min(1.0, stretch)
    seen = scaled(_sent(scaled(cut, *size)), max(1, round(w * scale)), max(1, round(h * scale)))
    return View(name, seen, scale, size, box)


def noise_like(picture: Picture, seed: int) -> Picture:
    """Random noise of the same shape, each value uniform on 0 to 255; the same ``seed`` gives the same noise."""
    return np.random.default_rng(seed).integers(0, 256, picture.shape, dtype=np.uint8)


def _sent(picture: Picture) -> Picture:
    """``picture`` as it arrives."""
    return decode(encode_jpeg(picture, QUALITY, halved=True))


def _elsewhere(
    box: tuple[int, int, int, int], width: int, height: int, rng: random.Random
) -> tuple[int, int, int, int]:
    """Another region of the same size, apart from ``box`` where the image has room for that (50 draws)."""
    w, h = box[2] - box[0], box[3] - box[1]
    x, y = box[:2]
    for _ in range(50):
        x, y = rng.randint(0, width - w), rng.randint(0, height - h)
        if x >= box[2] or x + w <= box[0] or y >= box[3] or y + h <= box[1]:
            break
    return x, y, x + w, y + h
