"""Positions of a step's findings on the original: boxes, circles, lines and points, mapped back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.toolbox.affine import Affine
from annotation.toolbox.runner import StepResult

_MIDDLE = 0.5
"""OpenCV names a pixel by its number; its middle lies half a pixel further."""


@dataclass(frozen=True, slots=True)
class Place:
    """``points`` in pixels of the original: one (a point, or a circle's center with its ``radius``), two (a line), or
    the corners of an area."""

    points: tuple[tuple[float, float], ...]
    radius: float | None = None


def places_of(step: StepResult) -> tuple[Place, ...]:
    """The places of a step's measurements, in their order; none where the way back to the original is lost."""
    if step.to_original is None:
        return ()
    rows = [step.measurements, *_rows(step.measurements)]
    return tuple(place for row in rows if (place := _place(row, step.to_original)) is not None)


def _rows(measurements: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for value in measurements.values():
        if isinstance(value, list):
            yield from (row for row in value if isinstance(row, Mapping))


def _place(row: Mapping[str, Any], back: Affine) -> Place | None:
    if "points" in row and row["points"] and not isinstance(row["points"][0], Mapping):
        return Place(tuple(back.point(x + _MIDDLE, y + _MIDDLE) for x, y in row["points"]))
    if "box" in row:
        left, top, right, bottom = row["box"]
        corners = ((left, top), (right, top), (right, bottom), (left, bottom))
        return Place(tuple(back.point(x, y) for x, y in corners))
    if "x1" in row:
        ends = ((row["x1"], row["y1"]), (row["x2"], row["y2"]))
        return Place(tuple(back.point(x + _MIDDLE, y + _MIDDLE) for x, y in ends))
    if "x" in row:
        radius = row["radius"] * back.scale if "radius" in row else None
        return Place((back.point(row["x"] + _MIDDLE, row["y"] + _MIDDLE),), radius)
    return None
