"""The share of the evidence that the crops of a conversation still show, measured on the original image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotation.imaging.crops import Picture, scaled
from annotation.imaging.decoding import decode
from annotation.importers.fields import Number4
from evaluation.runner.arms.pixels import letterboxed
from evaluation.stand_in.chat import SentImage
from evaluation.stand_in.forms import Shown
from evaluation.stand_in.moves import clipped
from evaluation.stand_in.recorded import Known

_SAME = 0.9
"""Likeness from which a crop is a view of the gold region."""
_FLAT = 1.0
"""Variance of pixels below which an image has nothing that could be destroyed gradually."""
LEGIBLE = 12
"""Pixels of the longer side of a gold box below which an image is too small to read it."""
_ALIKE = 8.0
"""Mean difference up to which flat images are alike, of 255."""


def intact_share(known: Known, album: Sequence[Shown]) -> float:
    """Return the share of the gold area that crops show undamaged, 0 to 1; the full image is no crop.

    For each gold box it is the largest, over crops, of the covered share times ``likeness``. A crop that was replaced
    by a view of the gold region shows all of it.
    """
    total = share = 0.0
    crops = [(one, decode(one.sent.data)) for one in album[1:] if one.located and one.sent]
    for box, patch in zip(known.gold_boxes, known.evidence, strict=True):
        area = (box[2] - box[0]) * (box[3] - box[1])
        total += area
        share += area * max((_shown(box, patch, one.image.region, pixels) for one, pixels in crops), default=0.0)
    views = (
        likeness(letterboxed(known.surroundings, seen.shape[1], seen.shape[0]), seen) for _, seen in crops if total
    )
    return max([share / total if total else 0.0, *(view for view in views if view >= _SAME)])


def visible_share(known: Known, images: Sequence[SentImage]) -> float:
    """Return the share of the gold area that images of a single request show undamaged and large enough, 0 to 1: the
    full image, the image reduced or with the gold filled, or the crop of the gold alone."""
    total = share = 0.0
    pictures = [decode(image.data) for image in images]
    if any(likeness(letterboxed(known.surroundings, one.shape[1], one.shape[0]), one) >= _SAME for one in pictures):
        return 1.0
    whole = (0.0, 0.0, float(known.size[0]), float(known.size[1]))
    for box, patch in zip(known.gold_boxes, known.evidence, strict=True):
        area, side = (box[2] - box[0]) * (box[3] - box[1]), max(box[2] - box[0], box[3] - box[1])
        legible = [one for one in pictures if side * one.shape[1] / whole[2] >= LEGIBLE]
        total += area
        share += area * max((_shown(box, patch, whole, one) for one in legible), default=0.0)
    return share / total if total else 0.0


def _shown(box: Number4, patch: Picture, region: Number4, pixels: Picture) -> float:
    """The covered share of a box times the likeness of what covers it, at the best of nine places: tools round the
    edges of crops in different ways."""
    height, width = pixels.shape[:2]
    across, down = width / (region[2] - region[0]), height / (region[3] - region[1])
    left, top = (box[0] - region[0]) * across, (box[1] - region[1]) * down
    wide, high = max(1, round((box[2] - box[0]) * across)), max(1, round((box[3] - box[1]) * down))
    whole = scaled(patch, wide, high)
    places = ((round(left) + x, round(top) + y) for x in (-1, 0, 1) for y in (-1, 0, 1))
    return max(_at(whole, pixels, x, y) for x, y in places)


def _at(patch: Picture, pixels: Picture, x: int, y: int) -> float:
    inside = clipped((x, y, x + patch.shape[1], y + patch.shape[0]), (pixels.shape[1], pixels.shape[0]))
    if inside is None:
        return 0.0
    x1, y1, x2, y2 = map(int, inside)
    part, seen = patch[y1 - y : y2 - y, x1 - x : x2 - x], pixels[y1:y2, x1:x2]
    return part.size / patch.size * likeness(part, seen)


def likeness(original: Picture, seen: Picture) -> float:
    """Return the share of the original's contrast that is left, 0 to 1: the slope of ``seen`` on ``original``.

    Noise mixed in with share s leaves 1 - s, a constant color 0, another place about 0.
    """
    a, b = original.astype(float).ravel(), seen.astype(float).ravel()
    variance = float(a.var())
    if variance < _FLAT:
        return float(np.abs(a - b).mean() <= _ALIKE)
    return float(np.clip(np.mean((a - a.mean()) * (b - b.mean())) / variance, 0.0, 1.0))
