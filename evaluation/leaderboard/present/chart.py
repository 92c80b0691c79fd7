"""Accuracy against cost, or against calls where no cost is known, as a small still drawing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluation.common.figures import axis_of, written
from evaluation.leaderboard.present.cells import ShownRow
from evaluation.metrics.settings_help import uncertain_words
from webapp.common.drawing import format_number as place
from webapp.common.formatting import decimal

LEFT, RIGHT, TOP, BOTTOM = 34.0, 326.0, 12.0, 111.0


@dataclass(frozen=True)
class Point:
    """One run: its position, its interval, whether no cheaper run is as accurate, and the offset of its letter."""

    name: str
    letter: str
    x: str
    y: str
    low: str
    high: str
    front: bool
    words: str
    aside: int
    uncertain: str


@dataclass(frozen=True)
class Tick:
    at: str
    text: str


@dataclass(frozen=True)
class Chart:
    title: str
    points: list[Point]
    path: str
    x_ticks: list[Tick]
    y_ticks: list[Tick]


def accuracy_chart(rows: Sequence[ShownRow]) -> Chart | None:
    """Ranked rows with an accuracy, over cost, or over calls where fewer than two name a cost.

    None when fewer than two can be drawn.
    """
    priced = sum(row.row.value("usd_mean") is not None for row in rows) > 1
    metric, title, unit = ("usd_mean", "cost", "usd") if priced else ("calls_mean", "calls", "calls")
    found = [
        (row, cost, row.accuracy.value)
        for row in rows
        if (cost := row.row.value(metric)) is not None and row.accuracy.value is not None
    ]
    if len(found) < 2:
        return None
    logarithmic = priced and min(cost for _, cost, _ in found) > 0
    across, x_ticks = _scale([cost for _, cost, _ in found], unit, logarithmic)
    ends = [e for row, _, _ in found for e in (row.accuracy.low, row.accuracy.high, row.accuracy.value)]
    axis = axis_of(ends)

    def down(share: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (share - axis.low) / (axis.high - axis.low)

    # Two letters don't fit next to a point.
    lettered = all(len(row.letter) == 1 for row, _, _ in found)
    places = [(across(cost), down(accuracy)) for _, cost, accuracy in found]
    front = _front([(cost, accuracy) for _, cost, accuracy in found])
    points = [
        Point(
            name=str(row.row.run),
            letter=row.letter if lettered else "",
            x=place(places[at][0]),
            y=place(places[at][1]),
            low=place(down(accuracy if row.accuracy.low is None else row.accuracy.low)),
            high=place(down(accuracy if row.accuracy.high is None else row.accuracy.high)),
            front=at in front,
            words=f"{row.row.run}: {row.accuracy.whole}%, {written(unit, cost)}",
            aside=7 + 9 * sum(_near(places[at], other) for other in places[:at]),
            uncertain=uncertain_words(row.row.counts, row.row.settings),
        )
        for at, (row, cost, accuracy) in enumerate(found)
    ]
    path = "M" + " L".join(f"{points[at].x} {points[at].y}" for at in front)
    steps = range(round(axis.low * 10), round(axis.high * 10) + 1, max(1, round((axis.high - axis.low) * 2.5)))
    y_ticks = [Tick(place(down(step / 10)), decimal(step * 10)) for step in steps]
    return Chart(title, points, path, x_ticks, y_ticks)


def _near(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Return whether two points are so close that their letters would overlap."""
    return abs(one[0] - other[0]) < 8 and abs(one[1] - other[1]) < 10


def _front(points: Sequence[tuple[float, float]]) -> list[int]:
    """The Pareto front, cheapest first: no other point is as cheap and more accurate."""
    best = -math.inf
    front = []
    for at in sorted(range(len(points)), key=lambda at: (points[at][0], -points[at][1])):
        if points[at][1] > best:
            front.append(at)
            best = points[at][1]
    return front


def _scale(values: Sequence[float], unit: str, logarithmic: bool) -> tuple[Callable[[float], float], list[Tick]]:
    """A scale from values to positions across the drawing, with at most five ticks."""
    if logarithmic:
        ends = math.log10(min(values)) - 0.1, math.log10(max(values)) + 0.1
        exponents = range(math.floor(ends[0]), math.ceil(ends[1]) + 1)
        marks = [m * 10.0**e for e in exponents for m in (1, 2, 5) if ends[0] <= math.log10(m * 10.0**e) <= ends[1]]
    else:
        step = _step(max(values) or 1.0)
        ends = 0.0, step * math.ceil((max(values) or 1.0) / step)
        marks = [step * i for i in range(round(ends[1] / step) + 1)]

    def across(value: float) -> float:
        at = math.log10(value) if logarithmic else value
        return LEFT + (RIGHT - LEFT) * (at - ends[0]) / (ends[1] - ends[0])

    ticks = [Tick(place(across(mark)), written(unit, mark) if unit == "usd" else f"{mark:g}") for mark in marks]
    return across, ticks[:: max(1, math.ceil(len(ticks) / 5))]


def _step(largest: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that divides ``largest`` into two to five parts."""
    power = 10.0 ** math.floor(math.log10(largest / 5)) if largest > 0 else 1.0
    return next(m * power for m in (1, 2, 5, 10) if largest / (m * power) <= 5)
