"""The form of numbers in tables and figures: units, axes, and colors of figures for papers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from webapp.common.formatting import decimal, percent, percentage_points

INK, SOFT, HAIR = "#1b1b1a", "#6b6a65", "#dcdbd6"
FONT = "Inter, Source Sans Pro, Helvetica, Arial, sans-serif"
FIGURES = ("svg", "png")
"""Formats of a self-contained figure."""


@dataclass(frozen=True)
class Axis:
    low: float
    high: float

    @property
    def words(self) -> str:
        return f"{percent(self.low, 0)}–{percent(self.high, 0)}"


def axis_of(ends: Iterable[float | None], *, least: float = 0.2, step: float = 0.1) -> Axis:
    """Return the shortest axis in whole steps that contains all ends; shares from 0 to 1 without any."""
    known = [end for end in ends if end is not None]
    if not known:
        return Axis(0, 1)
    low, high = math.floor(min(known) / step + 1e-9) * step, math.ceil(max(known) / step - 1e-9) * step
    return Axis(low, max(high, low + least))


def written(unit: str, value: float) -> str:
    """A value in its unit: percent and percentage points with one decimal."""
    if unit == "share":
        return percent(value)
    if unit == "pp":
        return percentage_points(value)
    if unit == "usd":
        return f"${value:.4f}" if 0 < value < 0.01 else f"${value:.3f}"
    return decimal(value, 1)
