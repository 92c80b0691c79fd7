"""The curves of a lineage as positions in their boxes: one line per metric over the steps, with 95% bands."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from annotation.common.sentences import translated
from evaluation.common.figures import axis_of, written
from evaluation.lineages.read import EFFECTS, QUADRANTS, REWARDS, Point, Series
from evaluation.metrics.catalogue import METRICS, POINTS
from evaluation.metrics.separation import smoothed
from evaluation.runner.arms.catalogue import Arm, Estimand
from webapp.common.drawing import format_number, scale
from webapp.common.formatting import decimal, percent
from webapp.common.translation import Text

WIDTH, HEIGHT = 560.0, 216.0
LEFT, RIGHT, TOP, BOTTOM = 40.0, 548.0, 12.0, 184.0
CHARACTER = 11.0
"""The width of a digit of a tick on a narrow page, where drawings are half as large as their text."""
SMOOTHINGS = (3, 5, 9)
"""Numbers of steps that a smoothed line may be the mean of."""
PANELS: Mapping[str, tuple[Text, tuple[str, ...]]] = {
    "accuracy": (gettext_lazy("Accuracy and grounding"), ("accuracy", "grounded_score")),
    "quadrants": (gettext_lazy("Quadrants"), QUADRANTS),
    "evidence": (gettext_lazy("Evidence"), ("mean_coverage", "sufficiency", "reliability")),
    "region": (gettext_lazy("Cropped region size"), ("cropped_region_size",)),
    "calls": (gettext_lazy("Tool calls"), ("tool_call_count",)),
    "effects": (gettext_lazy("Effects of interventions"), EFFECTS),
    "reward": (gettext_lazy("Rewards"), REWARDS),
}
"""Panels: metrics of one unit. Effects of the lab have a panel for each estimand before the rewards."""
ARM_PANELS = {
    Estimand.PREFIX: gettext_lazy("Effects of arms, continued prefix"),
    Estimand.TURN: gettext_lazy("Effects of arms, regenerated turn"),
}
LARGE = 60
"""Steps from which the marks are small."""


@dataclass(frozen=True)
class Mark:
    """The value of a checkpoint. ``low``, ``high``: ends of its interval, "" without one."""

    x: str
    y: str
    low: str
    high: str


@dataclass(frozen=True)
class Line:
    """One metric; ``term``: its entry in the glossary. ``path`` and ``band`` have gaps where it is undefined;
    ``smooth``: path of the smoothed values.
    """

    metric: str
    term: str
    label: str
    number: int
    path: str
    band: str
    smooth: str
    marks: Sequence[Mark]


@dataclass(frozen=True)
class Hit:
    """The column of a checkpoint, which opens its run."""

    x: str
    width: str
    href: str
    words: str


@dataclass(frozen=True)
class Tick:
    at: str
    text: str
    anchor: str = "middle"


@dataclass(frozen=True)
class Panel:
    name: str
    title: str
    unit: str
    lines: Sequence[Line]
    hits: Sequence[Hit]
    across: Sequence[Tick]
    down: Sequence[Tick]
    apart: str
    small: bool


def panels_of(series: Series, smooth: int = 0) -> list[Panel]:
    """The panels with a value. ``smooth``: how many steps a smoothed line is the mean of, 0 for none."""
    slug = series.lineage.benchmark.slug
    # Once for all panels: on long lineages, addresses take most of the time of the drawings.
    links = [reverse("evaluation:run", args=[slug, point.run.pk]) for point in series.points]
    found = []
    for name, (title, metrics) in panels_with(series).items():
        known = [metric for metric in metrics if series.known(metric)]
        if known:
            numbers = [at + 1 for at, metric in enumerate(metrics) if metric in known]
            found.append(_panel(name, str(title), dict(zip(known, numbers, strict=True)), series, smooth, links))
    return found


def panels_with(series: Series) -> Mapping[str, tuple[Text, Sequence[str]]]:
    """The panels of a series by name: those of metrics, and those of its arms."""
    arms = {
        f"arms-{estimand}": (title, [str(arm) for arm in series.arms if arm.estimand is estimand])
        for estimand, title in ARM_PANELS.items()
    }
    rewards = PANELS["reward"]
    return {**{name: panel for name, panel in PANELS.items() if name != "reward"}, **arms, "reward": rewards}


def unit_of(metric: str) -> str:
    """The unit of a metric; effects of arms are points."""
    return POINTS if "@" in metric else METRICS[metric].unit


def label_of(metric: str) -> str:
    """``Noise in the crops, 100% noise``: of an arm what it does."""
    return translated(Arm.read(metric).words) if "@" in metric else gettext(METRICS[metric].label)


def term_of(metric: str) -> str:
    """The entry of the glossary that explains it."""
    return "arm" if "@" in metric else metric


def _panel(
    name: str, title: str, metrics: Mapping[str, int], series: Series, smooth: int, links: Sequence[str]
) -> Panel:  # fmt: skip
    """``metrics``: names with the numbers of their lines."""
    points, unit = series.points, unit_of(next(iter(metrics)))
    steps = [point.step for point in points]
    first, last = min(steps), max(steps)
    places = [LEFT + (RIGHT - LEFT) * (scale(step, first, last) / 100 if last > first else 0.5) for step in steps]
    ends = [end for point in points for metric in metrics for end in _ends(point, metric)]
    low, high = _axis(unit, ends)

    def down(value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * scale(value, low, high) / 100

    lines = []
    for metric, number in metrics.items():
        values = [point.value(metric) for point in points]
        heights = [None if value is None else down(value) for value in values]
        reach = [[None if end is None else down(end) for end in _interval(point, metric)] for point in points]
        means = [None if mean is None else down(mean) for mean in smoothed(values, smooth)] if smooth else []
        lines.append(
            Line(
                metric=metric,
                term=term_of(metric),
                label=label_of(metric),
                number=number,
                path=_path(places, heights),
                band=_band(places, reach),
                smooth=_path(places, means),
                marks=_marks(places, heights, reach),
            )
        )
    separated = series.separation.first if series.separation else None
    at = _separated_at(series, places) if name == "accuracy" and separated is not None else ""
    return Panel(
        name, title, _unit_words(unit), lines, _hits(series, list(metrics), places, links), _step_ticks(steps, places),
        [Tick(format_number(down(mark)), _tick(unit, mark)) for mark in _marked(low, high)], at, len(points) > LARGE,
    )  # fmt: skip


def _separated_at(series: Series, places: Sequence[float]) -> str:
    step = separated_step(series)
    return "" if step is None else format_number(places[[point.run.pk for point in series.points].index(step.run.pk)])


def separated_step(series: Series) -> Point | None:
    """The first checkpoint at which grounding has separated from accuracy."""
    if series.separation is None or series.separation.first is None:
        return None
    return compared(series)[series.separation.first + 1]


def compared(series: Series) -> list[Point]:
    """The checkpoints that are compared on the same samples: scored, and whole."""
    return [point for point in series.points if point.scoring is not None and point.arriving is None]


def _interval(point: Point, metric: str) -> tuple[float | None, float | None]:
    found = point.metrics.get(metric)
    return (found.ci_low, found.ci_high) if found and found.value is not None else (None, None)


def _ends(point: Point, metric: str) -> tuple[float | None, ...]:
    return (point.value(metric), *_interval(point, metric))


def _axis(unit: str, ends: Sequence[float | None]) -> tuple[float, float]:
    """Shares on the shortest axis in tenths; others from 0, or below it where a value is."""
    if unit == "share":
        axis = axis_of(ends)
        return max(0.0, axis.low), min(1.0, axis.high)
    known = [end for end in ends if end is not None]
    low, high = min(0.0, *known), max(0.0, *known)
    step = _step(high - low or 1.0)
    return step * math.floor(low / step), step * max(math.ceil(high / step - 1e-9), math.floor(low / step) + 1)


def _step(length: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that divides a length into at most five parts."""
    power = 10.0 ** math.floor(math.log10(length / 5))
    return next(m * power for m in (1, 2, 5, 10) if length / (m * power) <= 5 + 1e-9)


def _marked(low: float, high: float) -> list[float]:
    step = _step(high - low)
    return [step * k for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _tick(unit: str, mark: float) -> str:
    if unit == POINTS:
        return f"{100 * mark:+g}".replace("-", "\N{MINUS SIGN}") if mark else "0"
    return percent(mark, 0) if unit == "share" else f"{mark:g}"


def _unit_words(unit: str) -> str:
    return {"share": "%", "area": gettext("in image areas"), POINTS: gettext("pp")}.get(unit, "")


def _path(places: Sequence[float], heights: Sequence[float | None]) -> str:
    parts, drawing = [], False
    for x, y in zip(places, heights, strict=False):
        if y is not None:
            parts.append(f"{'L' if drawing else 'M'}{format_number(x)} {format_number(y)}")
        drawing = y is not None
    return "".join(parts)


def _band(places: Sequence[float], reach: Sequence[Sequence[float | None]]) -> str:
    """The area between the ends of the intervals, in one piece for each stretch of checkpoints that have them."""
    areas, stretch = [], []
    for x, (low, high) in [*zip(places, reach, strict=True), (0.0, (None, None))]:
        if low is not None and high is not None:
            stretch.append((x, low, high))
        elif stretch:
            there = "L".join(f"{format_number(x)} {format_number(top)}" for x, _, top in stretch)
            back = "L".join(f"{format_number(x)} {format_number(bottom)}" for x, bottom, _ in reversed(stretch))
            areas.append(f"M{there}L{back}Z")
            stretch = []
    return "".join(areas)


def _marks(
    places: Sequence[float], heights: Sequence[float | None], reach: Sequence[Sequence[float | None]]
) -> list[Mark]:
    return [
        Mark(format_number(x), format_number(y), *("" if end is None else format_number(end) for end in ends))
        for x, y, ends in zip(places, heights, reach, strict=True)
        if y is not None
    ]


def _hits(series: Series, metrics: Sequence[str], places: Sequence[float], links: Sequence[str]) -> list[Hit]:
    width = min(24.0, (RIGHT - LEFT) / max(1, len(places)))
    return [
        Hit(format_number(x - width / 2), format_number(width), href, point_words(point, metrics))
        for point, x, href in zip(series.points, places, links, strict=True)
    ]


def point_words(point: Point, metrics: Sequence[str]) -> str:
    """``Step 100: Accuracy 62.1 (58.0 to 66.0), n = 500``."""
    said = [f"{label_of(metric)} {value_words(point, metric)}" for metric in metrics]
    return f"{gettext('Step %(step)s') % {'step': decimal(point.step)}}: {', '.join(said)}"


def value_words(point: Point, metric: str) -> str:
    """Return a value with its interval and n; "n/a" if undefined."""
    found = point.metrics.get(metric)
    if found is None or found.value is None:
        return "n/a"
    text = number_words(metric, found.value)
    if found.ci_low is not None and found.ci_high is not None:
        ends = number_words(metric, found.ci_low), number_words(metric, found.ci_high)
        text += f" ({ends[0]}\N{EN DASH}{ends[1]})"
    return f"{text}, n = {decimal(found.n)}"


def number_words(metric: str, value: float) -> str:
    """A value in the unit of its metric; areas with three decimals, rewards and calls with two."""
    unit = unit_of(metric)
    digits = {"area": 3, "reward": 2, "calls": 2}.get(unit)
    return written(unit, value) if digits is None else decimal(value, digits)


def _step_ticks(steps: Sequence[int], places: Sequence[float]) -> list[Tick]:
    """Return at most seven steps, including the first and the last, if there is room."""
    wanted = sorted({*range(0, len(steps), max(1, math.ceil((len(steps) - 1) / 6))), len(steps) - 1})
    found: list[Tick] = []
    ends: list[float] = []
    for at in wanted:
        text, place = decimal(steps[at]), places[at]
        anchor = "end" if place > RIGHT - 10 else "start" if place < LEFT + 10 else "middle"
        width = CHARACTER * len(text)
        left = place - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
        if at == wanted[-1]:
            while ends and left < ends[-1] + CHARACTER:
                found.pop()
                ends.pop()
        elif ends and left < ends[-1] + CHARACTER:
            continue
        found.append(Tick(format_number(place), text, anchor))
        ends.append(left + width)
    return found
