"""The content of a sample on an image of another size: boxes, and the coordinates of its toolchain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

from annotation.schema import ORIGINAL, Box, Outline, SampleContent, ToolCall

Size = tuple[int, int]
ACROSS, DOWN = frozenset({"x", "x1", "x2", "width"}), frozenset({"y", "y1", "y2", "height"})
LENGTHS, BOXES = frozenset({"width", "height", "radius"}), frozenset({"bbox", "bbox_2d", "box"})
RESIZED = "resize"
TARGETS = ("target_width", "target_height")


class Fit(StrEnum):
    """How an image relates to the one that it replaces."""

    SIZE = "size"
    SHAPE = "shape"
    OTHER = "other"


def fit_of(old: Size, new: Size) -> Fit:
    """Of equal size, of equal shape (the same aspect ratio, to a pixel), or neither."""
    if old == new:
        return Fit.SIZE
    return Fit.SHAPE if abs(old[0] * new[1] / old[1] - new[0]) <= 1 else Fit.OTHER


def rescaled(content: SampleContent, old: Size, new: Size) -> SampleContent:
    """The content in pixels of an image of the size ``new`` and the same shape."""
    boxes = rescaled_boxes(content.gold_boxes, old, new)
    return replace(content, gold_boxes=boxes, reference_toolchain=rescaled_calls(content.reference_toolchain, old, new))


def rescaled_boxes(boxes: Iterable[Box], old: Size, new: Size) -> tuple[Box, ...]:
    """The boxes in pixels of an image of the size ``new`` and the same shape."""
    x, y = new[0] / old[0], new[1] / old[1]
    return tuple(_box(box, x, y, new) for box in boxes)


def _box(box: Box, x: float, y: float, size: Size) -> Box:
    """In whole pixels, at least one wide and high, inside the image. The vertices of an outline stay between pixels."""
    if isinstance(box, Outline):
        return box.moved(lambda across, down: (min(across * x, size[0]), min(down * y, size[1])))
    left, top = min(round(box.x1 * x), size[0] - 1), min(round(box.y1 * y), size[1] - 1)
    right, bottom = max(left + 1, min(round(box.x2 * x), size[0])), max(top + 1, min(round(box.y2 * y), size[1]))
    return Box(left, top, right, bottom)


def rescaled_calls(calls: Iterable[ToolCall], old: Size, new: Size) -> tuple[ToolCall, ...]:
    """The calls with their coordinates in pixels of the other image. An image that a call resized to a given size has
    that size on both, and so do images made from it."""
    x, y = new[0] / old[0], new[1] / old[1]
    fixed: set[str] = set()
    found = []
    for call in calls:
        inputs = call.image_in if isinstance(call.image_in, tuple) else (call.image_in or ORIGINAL,)
        given = call.arguments
        stays = bool(fixed.intersection(inputs)) or call.tool == RESIZED
        if call.image_out and (stays or any(given.get(name) is not None for name in TARGETS)):
            fixed.add(call.image_out)
        found.append(call if stays else replace(call, arguments=_arguments(given, x, y)))
    return tuple(found)


def _arguments(given: Mapping[str, Any], x: float, y: float) -> dict[str, Any]:
    found = dict(given)
    for name, value in given.items():
        if name in BOXES and isinstance(value, (list, tuple)) and len(value) == 4 and all(map(_is_number, value)):
            found[name] = [round(one * factor) for one, factor in zip(value, (x, y, x, y), strict=True)]
        elif _is_number(value) and (name in ACROSS or name in DOWN or name in LENGTHS):
            scaled = round(value * (y if name in DOWN else x))
            found[name] = max(1, scaled) if name in LENGTHS else scaled
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
