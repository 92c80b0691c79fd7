"""Checks whether boxes are inside their images with a mapping, and which other notation would fit better."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation.importers.column_mapping import BoxForm
from annotation.importers.fields import Number4
from annotation.schema import ORIGINAL
from evaluation.schema import Coordinates, Step

SLACK = 1.02
"""A box may reach this far over the edge and still count as inside: models round."""
OUTSIDE = 0.1
"""If a larger share of the boxes is outside, another notation is more likely."""
_BOUND = {Coordinates.NORM1: 1.0, Coordinates.NORM1000: 1000.0}
_FORMS = (BoxForm.XYXY, BoxForm.XYWH, BoxForm.CXCYWH, BoxForm.YXYX)

Sized = tuple[Number4, tuple[int, int]]
"""Four numbers as written, and width and height of their image."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A notation of boxes, and the share of them inside."""

    form: BoxForm
    coordinates: Coordinates
    inside: float


def as_written(box: Number4, form: BoxForm) -> Number4:
    """The inverse of ``BoxForm.corners``.

    >>> as_written((10, 20, 15, 26), BoxForm.XYWH)
    (10, 20, 5, 6)
    """
    a, b, c, d = box
    if form is BoxForm.XYWH:
        return a, b, c - a, d - b
    if form is BoxForm.CXCYWH:
        return (a + c) / 2, (b + d) / 2, c - a, d - b
    return (b, a, d, c) if form is BoxForm.YXYX else box


def boxes_of(steps: Iterable[Step], size: tuple[int | None, int | None], form: BoxForm) -> list[Sized]:
    """The boxes on the original image as they were written."""
    width, height = size
    if not width or not height:
        return []
    return [(as_written(step.bbox, form), (width, height)) for step in steps if step.bbox and step.image_in == ORIGINAL]


def inside(boxes: Sequence[Sized], form: BoxForm, coordinates: Coordinates) -> float:
    """Return the share of valid boxes that are in their image with this notation. 1.0 without any box."""
    fits = sum(_fits(form.corners(four), coordinates, size) for four, size in boxes)
    return fits / len(boxes) if boxes else 1.0


def _fits(box: Number4, coordinates: Coordinates, size: tuple[int, int]) -> bool:
    limits = (_BOUND[coordinates],) * 2 if coordinates in _BOUND else size
    x1, y1, x2, y2 = box
    return 0 <= x1 < x2 <= SLACK * limits[0] and 0 <= y1 < y2 <= SLACK * limits[1]


def doubts(boxes: Sequence[Sized], form: BoxForm, coordinates: Coordinates) -> tuple[float, list[Reading]]:
    """Return the share inside with the current notation, and the notations with a larger share, the best first; none if
    the current share is plausible. Numbers up to 1 are fractions in every notation.
    """
    share = inside(boxes, form, coordinates)
    fractions = bool(boxes) and coordinates is not Coordinates.NORM1 and all(max(four) <= 1 for four, _ in boxes)
    if not boxes or (1 - share <= OUTSIDE and not fractions):
        return share, []
    spaces = [Coordinates.NORM1] if fractions else [Coordinates.PIXEL, Coordinates.NORM1000]
    found = [
        Reading(other, space, inside(boxes, other, space))
        for space in spaces
        for other in _FORMS
        if (other, space) != (form, coordinates)
    ]
    best = [one for one in found if one.inside > share or (fractions and one.inside >= share)]
    return share, sorted(best, key=lambda one: -one.inside)[:3]
