"""The drawings of a run's page: positions in their view boxes, ready for templates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from django.utils.translation import gettext

from evaluation.common.crops import MISSED, SEED, crop_points
from evaluation.common.links import Count, RunLinks
from evaluation.metrics.columns import Quadrant
from evaluation.metrics.ragged import TIE
from evaluation.metrics.thresholds import STEPS
from evaluation.models import Metric
from evaluation.store.selection import Selection
from webapp.common.drawing import format_number
from webapp.common.formatting import decimal

AREA_HEIGHT = 52
LONGEST = 10
"""Longer toolchains share the last bar."""
LEFT, RIGHT, TOP, BOTTOM = 96.0, 418.0, 12.0, 238.0
"""The scatter: coverage 0 and 1, concentration 1 and 0.001. ``static/js/models/brush.js`` has the same values."""
STRIP = (22.0, 50.0)
"""Horizontal positions of crops without gold: the first and the last."""
CODES = ("gpap", "gpam", "gmap", "gmam")


@dataclass(frozen=True, slots=True)
class Area:
    code: str
    path: str


def threshold_areas(counts: Sequence[Sequence[int]]) -> list[Area]:
    """The shares of the quadrants over the thresholds 0 .. 100, stacked, in a box of 100 × AREA_HEIGHT."""
    if len(counts) != STEPS + 1 or not sum(counts[0]):
        return []
    whole = sum(counts[0])
    edges = [[0.0, *accumulate(AREA_HEIGHT * n / whole for n in row)] for row in counts]
    areas = []
    for place, code in enumerate(CODES):
        top = [f"{x} {format_number(edge[place])}" for x, edge in enumerate(edges)]
        bottom = [f"{x} {format_number(edge[place + 1])}" for x, edge in enumerate(edges)]
        areas.append(Area(code, f"M{' L'.join([*top, *reversed(bottom)])}Z"))
    return areas


@dataclass(frozen=True, slots=True)
class Point:
    """A mark of the scatter; ``words``: its sample, coverage and concentration."""

    words: str
    href: str
    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """``shown`` of ``total`` points; ``edge_x``, ``edge_y``: the threshold; ``missed``: no gold in the crop."""

    points: Sequence[Point]
    shown: int
    total: int
    missed: Count
    edge_x: str
    edge_y: str
    seed: int = SEED


def scatter(found: Selection, threshold: float, links: RunLinks) -> Scatter:
    """Return coverage (horizontal) and concentration (vertical, logarithmic).

    Crops without gold have a position on neither axis. They are in a strip left of the axes, spread deterministically
    so that they can be distinguished.
    """
    read = crop_points(found)
    rows = sorted(read.rows, key=lambda row: -row[4])
    points = [_point(place, row, links) for place, row in enumerate(rows)]
    edges = format_number(_across(threshold)), format_number(_down(threshold))
    return Scatter(points, len(points), read.total, links.count(read.missed, **MISSED), *edges)


def _across(coverage: float) -> float:
    return LEFT + (RIGHT - LEFT) * coverage


def _down(concentration: float) -> float:
    return BOTTOM - (math.log10(max(concentration, 0.001)) + 3) / 3 * (BOTTOM - TOP)


def _point(place: int, row: tuple[Any, ...], links: RunLinks) -> Point:
    pk, name, coverage, concentration, quadrant = row
    if max(coverage, concentration) <= TIE:
        across, down = place * 7919 % 97 / 97, place * 104729 % 89 / 89
        x, y = STRIP[0] + (STRIP[1] - STRIP[0]) * across, TOP + (BOTTOM - TOP) * down
    else:
        x, y = _across(coverage), _down(concentration)
    right = quadrant in (Quadrant.GPAP, Quadrant.GMAP)
    path = (
        f"M{format_number(x)} {format_number(y)}h0"
        if right
        else f"M{format_number(x - 2)} {format_number(y - 2)}l4 4m0-4l-4 4"
    )
    words = gettext("%(sample)s: coverage %(coverage)s, concentration %(concentration)s")
    words %= {"sample": name, "coverage": decimal(coverage, 2), "concentration": decimal(concentration, 2)}
    return Point(words, links.trajectory(pk), path, f"s-{CODES[quadrant]} {'dot' if right else 'cross'}")


@dataclass(frozen=True, slots=True)
class HeatCell:
    """``count``: trajectories whose scored crop has its center here; ``difference``: of the densities, 0 to 1."""

    x: str
    y: str
    kind: str
    opacity: str
    difference: float
    count: Count


def heat_rows(
    difference: Sequence[Sequence[float]], counts: Sequence[Sequence[int]], links: RunLinks
) -> list[list[HeatCell]]:
    """Return cells of a box of 240 × 140, ten units each. The strongest is opaque; those with little difference have no
    kind.

    Opacity is the root of the difference, so that a wide weak density is visible next to a sharp one.
    """
    most = max((abs(value) for row in difference for value in row), default=0.0)

    def cell(x: int, y: int, value: float) -> HeatCell:
        seen = most and abs(value) > 0.02 * most
        n = counts[y][x] if counts else 0
        return HeatCell(
            str(10 * x),
            str(10 * y),
            ("gold" if value < 0 else "crop") if seen else "",
            format_number(math.sqrt(abs(value) / most)) if seen else "0",
            value,
            links.count(n, population="yes", crop_cell=f"{x}-{y}") if n else Count(0),
        )

    return [[cell(x, y, value) for x, value in enumerate(row)] for y, row in enumerate(difference)]


@dataclass(frozen=True, slots=True)
class LengthBar:
    """One length: a bar for this run, a narrow one for the effective toolchain, and a line for the reference."""

    label: str
    x: str
    predicted: str
    effective: str
    reference: str
    counts: tuple[Count, Count, Count]


@dataclass(frozen=True, slots=True)
class Lengths:
    bars: Sequence[LengthBar]
    ticks: Sequence[tuple[int, str]]
    width: str
    half: str
    quarter: str
    trajectories: Count


def length_bars(rows: Sequence[Mapping[str, int]], links: RunLinks) -> Lengths | None:
    """Return toolchain lengths 0 .. LONGEST+ in a box of 276 × 250, with the base line at 236."""
    sums = [[0, 0, 0] for _ in range(min(len(rows), LONGEST + 1))]
    for row in rows:
        for place, name in enumerate(("predicted", "effective", "reference")):
            sums[min(row["length"], LONGEST)][place] += row[name]
    most = max((max(one) for one in sums), default=0)
    if not most:
        return None
    step, scale = 246 / len(sums), 216 / most
    bars = []
    for length, one in enumerate(sums):
        predicted, effective, reference = (format_number(n * scale) for n in one)
        label = f"{length}+" if length == LONGEST else str(length)
        counts = (
            links.count(one[0], reference="yes", calls=label),
            links.count(one[1], reference="yes", effective_calls=label),
            links.count(one[2], reference_calls=label),
        )
        bars.append(
            LengthBar(label, format_number(28 + step * (length + 0.5)), predicted, effective, reference, counts)
        )
    ticks = [(n, format_number(236 - n * scale)) for n in _ticks(most)]
    width = min(20.0, 0.62 * step)
    whole, half, quarter = (format_number(width / part) for part in (1, 2, 4))
    trajectories = links.count(sum(one[0] for one in sums), reference="yes")
    return Lengths(bars, ticks, whole, half, quarter, trajectories)


def _ticks(most: int) -> list[int]:
    """Return two or three round numbers up to ``most``."""
    unit = 10 ** int(math.log10(most)) if most else 1
    step = max(1, next((unit * part for part in (5, 2, 1) if most >= 2 * unit * part), unit // 2 or 1))
    return list(range(step, most + 1, step))[:4]


@dataclass(frozen=True, slots=True)
class CallPoint:
    label: str
    x: str
    y: str
    low: str
    high: str
    metric: Metric
    right: Count
    all: Count


def call_points(rows: Sequence[Metric], links: RunLinks) -> list[CallPoint]:
    """Return accuracy by number of calls, with intervals, in a box of 276 × 112: 100% at 10, 0% at 90."""
    known = [row for row in rows if row.value is not None]
    known.sort(key=lambda row: int(row.slice.removesuffix("+")))
    step = 240 / max(len(known), 1)
    return [
        CallPoint(
            row.slice,
            format_number(32 + step * (place + 0.5)),
            _height(row.value),
            _height(row.ci_low),
            _height(row.ci_high),
            row,
            links.count(row.numerator, calls=row.slice, correct="yes"),
            links.count(row.n, calls=row.slice, counted="yes"),
        )
        for place, row in enumerate(known)
    ]


def _height(share: float | None) -> str:
    return "" if share is None else format_number(90 - 80 * share)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The mean share of gold seen after ``calls`` calls, and the trajectories with at least that many."""

    calls: int
    x: str
    y: str
    share: float
    count: Count


@dataclass(frozen=True, slots=True)
class Curve:
    path: str
    points: Sequence[CurvePoint]
    ticks: Sequence[tuple[int, str]]
    last: float
    calls: int
    words_y: str


def seen_curve(coverage: Sequence[float], made: Mapping[int, int], links: RunLinks) -> Curve | None:
    """Return the mean share of the gold seen after 0, 1, 2, ... calls, in a box of 276 × 112 like ``call_points``.

    ``made``: number of calls -> trajectories.
    """
    if len(coverage) < 2:
        return None
    calls = len(coverage) - 1
    places = [(28 + 240 * n / calls, 90 - 80 * share) for n, share in enumerate(coverage)]
    path = "M" + " L".join(f"{format_number(x)} {format_number(y)}" for x, y in places)
    step = max(1, -(-calls // 6))
    ticks = [(n, format_number(28 + 240 * n / calls)) for n in range(0, calls + 1, step)]
    points = [
        CurvePoint(
            n,
            format_number(x),
            format_number(y),
            coverage[n],
            links.count(sum(k for length, k in made.items() if length >= n), calls=f"{n}+"),
        )
        for n, (x, y) in enumerate(places)
    ]
    words_y = format_number(90 - 80 * coverage[-1] + (14 if coverage[-1] > 0.8 else -6))
    return Curve(path, points, ticks, coverage[-1], calls, words_y)
