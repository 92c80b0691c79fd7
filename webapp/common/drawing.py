"""Positions in the small drawings of a page: bars, intervals, marks on an image.

Positions along an axis are percentages as text, so that a drawing fits the width of its place without a style.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.common.formatting import finite

SMALLEST_MARK = 6.0
"""Pixels on screen: a smaller box is drawn at this size around its center."""

Rectangle = tuple[float, float, float, float]


def scale(value: float, low: float, high: float) -> float:
    """The position of ``value`` between ``low`` (0) and ``high`` (100), limited to this range."""
    if high <= low:
        raise ValueError(f"an axis from {low} to {high} has no length")
    return min(100.0, max(0.0, 100 * (value - low) / (high - low)))


def format_number(value: float) -> str:
    """A number for an attribute: at most two decimals, always with a point."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def as_percent(value: float) -> str:
    return f"{format_number(value)}%"


@dataclass(frozen=True, slots=True)
class Bar:
    """One part of a stacked bar."""

    name: str
    x: str
    width: str
    end: str
    share: float


def stacked(parts: Iterable[tuple[str, object]]) -> list[Bar]:
    """The parts one after the other, as shares of their sum. Undefined parts are 0; no bar without a sum."""
    values = [(name, max(0.0, finite(value) or 0.0)) for name, value in parts]
    whole = sum(value for _, value in values)
    bars, start = [], 0.0
    for name, value in values if whole else ():
        width = 100 * value / whole
        bars.append(Bar(name, as_percent(start), as_percent(width), as_percent(start + width), value / whole))
        start += width
    return bars


def rectangle(box: Any) -> Rectangle:
    """Corners of a box given as four numbers, as a mapping or as an object with x1, y1, x2, y2."""
    names = ("x1", "y1", "x2", "y2")
    if isinstance(box, Mapping):
        return _four(box["box"] if "box" in box else [box[name] for name in names])
    if hasattr(box, "x1"):
        return _four([getattr(box, name) for name in names])
    if hasattr(box, "box"):
        return rectangle(box.box)
    return _four(box)


def _four(corners: Sequence[Any]) -> Rectangle:
    x1, y1, x2, y2 = (float(corner) for corner in corners)
    return x1, y1, x2, y2


@dataclass(frozen=True, slots=True)
class Viewport:
    """The part of an image that is seen, in pixels of the image: x, y, width, height."""

    x: float
    y: float
    width: float
    height: float

    @property
    def view_box(self) -> str:
        return " ".join(format_number(value) for value in (self.x, self.y, self.width, self.height))

    def across(self, x: float) -> float:
        return scale(x, self.x, self.x + self.width)

    def down(self, y: float) -> float:
        return scale(y, self.y, self.y + self.height)


def visible_area(width: float, height: float, ratio: float | None) -> Viewport:
    """The visible part of an image that fills a place of ``ratio`` (width by height), cropped around its center."""
    if width <= 0 or height <= 0:
        raise ValueError(f"an image of {width} by {height} pixels cannot be drawn")
    if ratio is None:
        return Viewport(0, 0, width, height)
    if width / height > ratio:
        seen = height * ratio
        return Viewport((width - seen) / 2, 0, seen, height)
    seen = width / ratio
    return Viewport(0, (height - seen) / 2, width, seen)


@dataclass(frozen=True, slots=True)
class Mark:
    """One rectangle over an image, and the tag at its corner, if it has one. ``path``: the polygon that is drawn
    instead; ``is_point``: the rectangle is drawn as a dot.

    ``left`` and ``top`` place the tag; ``lift`` is its distance above that corner, in pixels of the screen.
    """

    kind: str
    x: str
    y: str
    width: str
    height: str
    focused: bool = False
    text: str = ""
    left: str = ""
    top: str = ""
    lift: int = 0
    tag_width: int = 16
    path: str = ""
    is_point: bool = False


def mark(
    kind: str,
    box: Any,
    window: Viewport,
    *,
    shown: float,
    text: str = "",
    focused: bool = False,
    below: bool = False,
) -> Mark:
    """``box`` as a mark of ``kind`` in ``window``, which is about ``shown`` pixels wide on the screen.

    The tag is above the upper edge or, with ``below``, under the lower edge, if there is room.
    """
    x1, y1, x2, y2 = rectangle(box)
    least = SMALLEST_MARK * window.width / shown
    width, height = max(x2 - x1, least), max(y2 - y1, least)
    x, y = (x1 + x2 - width) / 2, (y1 + y2 - height) / 2
    top = window.down(y + height if below else y)
    lifted = top > 85 if below else top > 10
    return Mark(
        kind=kind,
        x=format_number(x),
        y=format_number(y),
        width=format_number(width),
        height=format_number(height),
        focused=focused,
        text=text,
        left=as_percent(window.across(x)),
        top=as_percent(top),
        lift=16 if kind != "crop" and lifted else 0,
        tag_width=max(16, 9 + 7 * len(text)),
        path=path_of(box),
        is_point=len(getattr(box, "points", ())) == 1,
    )


def path_of(box: Any) -> str:
    """The path of a polygon, a thing with several ``points``; "" for anything else."""
    points = getattr(box, "points", ())
    if len(points) < 2:
        return ""
    return "M" + "L".join(f"{format_number(float(x))} {format_number(float(y))}" for x, y in points) + "Z"
