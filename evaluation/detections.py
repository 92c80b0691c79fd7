"""The objects that an open-vocabulary detector found in an image: boxes with labels and scores, and the tools that they
name.

A detector is an upper limit of tool recognition (docs/metrics.md#detectors). Its boxes are not zoom calls: they are in
``extra`` of a trajectory, never among its steps, so that metrics of grounding and toolchains ignore them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

DETECTIONS = "detections"
"""The key in ``extra`` of a trajectory."""
DETECTOR = "detector"
"""The key in ``extra`` of a run of a detector; its value has the threshold."""
THRESHOLD = 0.3
"""The default minimum score."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Found:
    """One object. ``label``: as written by the detector; ``tool``: the name that it represents. ``score``: 0 to 1.
    ``box``: x1, y1, x2, y2 in pixels of the original image, None if the detector gave no valid one.
    """

    label: str
    tool: str
    score: float
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Detections:
    """The objects with a score of at least ``threshold``, best first, and the number of objects ``below`` it."""

    threshold: float
    found: tuple[Found, ...] = ()
    below: int = 0

    @property
    def tools(self) -> tuple[str, ...]:
        """The recognition list: the name of each tool once, the best score first.

        >>> Detections(0.5, (Found("saw", "saw", 0.9), Found("saw", "saw", 0.6))).tools
        ('saw',)
        """
        return tuple(dict.fromkeys(one.tool for one in self.found))

    def to_json(self) -> dict[str, Any]:
        """Return the detections in the form of ``extra`` of a trajectory, the inverse of ``detections_in``."""
        boxes = [
            {"label": one.label, "tool": one.tool, "score": one.score, "box": None if one.box is None else [*one.box]}
            for one in self.found
        ]
        return {"threshold": self.threshold, "below": self.below, "boxes": boxes}


def at_threshold(found: Iterable[Found], threshold: float) -> Detections:
    """Keep the objects with a score of at least ``threshold``, 0 to 1. Equal scores stay in their order.

    Raises ``ValueError`` for a threshold outside of 0 to 1.
    """
    if not 0 <= threshold <= 1:
        raise ValueError("The threshold of a detector is a number from 0 to 1.")
    everything = list(found)
    kept = sorted((one for one in everything if one.score >= threshold), key=lambda one: -one.score)
    return Detections(threshold, tuple(kept), len(everything) - len(kept))


def read_threshold(text: str) -> float:
    """Return the threshold in a text, ``THRESHOLD`` if it is empty. Raises ``ValueError``.

    >>> read_threshold("0.25"), read_threshold("")
    (0.25, 0.3)
    """
    if not text.strip():
        return THRESHOLD
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise ValueError(f"The score threshold must be a number from 0 to 1, not {text[:20]!r}.")
    return value


def is_box(value: object) -> bool:
    """Return whether a value is four finite numbers with x1 < x2 and y1 < y2."""
    if not isinstance(value, list | tuple) or len(value) != 4 or not all(_is_number(one) for one in value):
        return False
    return bool(value[0] < value[2] and value[1] < value[3])


def is_score(value: object) -> TypeGuard[float]:
    """Return whether a value is a number from 0 to 1."""
    return _is_number(value) and 0 <= value <= 1


def detections_in(extra: Mapping[str, Any]) -> Detections | None:
    """Return the detections in ``extra`` of a trajectory, None if there are none. A file can contain anything there;
    invalid objects are omitted.
    """
    given = extra.get(DETECTIONS)
    if not isinstance(given, Mapping) or not is_score(given.get("threshold")):
        return None
    boxes, below = given.get("boxes"), given.get("below")
    return Detections(
        float(given["threshold"]),
        tuple(_found(one) for one in boxes if _is_found(one)) if isinstance(boxes, list) else (),
        below if isinstance(below, int) and not isinstance(below, bool) and below >= 0 else 0,
    )


def _is_found(one: object) -> bool:
    return isinstance(one, Mapping) and all(isinstance(one.get(name), str) for name in ("label", "tool")) and is_score(
        one.get("score")
    )  # fmt: skip


def _found(one: Mapping[str, Any]) -> Found:
    box = one.get("box")
    corners = tuple(float(number) for number in box) if is_box(box) else None  # type: ignore[union-attr]
    return Found(one["label"], one["tool"], float(one["score"]), corners)  # type: ignore[arg-type]


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
