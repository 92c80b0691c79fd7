"""The page of diagnostics: tables with their lists, and curves, points and cells at their places in drawings. No
number is made here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from annotation.statistics import Interval
from evaluation.common.compared import calling_terms
from evaluation.common.links import Count, RunLinks
from evaluation.common.plan_errors import PlanCounts
from evaluation.diagnostics.read.analysis import (
    CURVES,
    PAIRS,
    CallingPair,
    Diagnostics,
    Heat,
    Metrics,
    point_of,
    published_points,
)
from evaluation.metrics.catalogue import METRICS
from evaluation.metrics.rank_correlation import LEAST_PAIRS, Concordance, Correlation
from evaluation.models import Metric, Run
from evaluation.query.fields import slice_terms
from webapp.common.drawing import Bar, format_number, stacked
from webapp.common.formatting import decimal, percent

COMPLETABLE = "(outcome:exact_match or outcome:extra_only)"
STEPS = 10
"""A cell's ink has this many steps."""
MOST_LINES = 8
"""Runs with a line in the curves; the table below has all."""
LETTER = 12.0
"""The height of a line of letters in a drawing."""
AROUND = ((6, 4), (-14, 4), (-4, 15), (-4, -7), (15, 4), (-4, 26), (24, 4))
"""Where the letter of a point can be: from its center to the lower left end of the letter."""
WIDE, HIGH, DOT = 8, 9, 4
"""The box of a letter, and the radius of a point with some room."""
LEFT, RIGHT, TOP, BOTTOM = 30.0, 254.0, 10.0, 130.0
"""The box of a drawing."""
SUCCEEDED: Mapping[str, Mapping[str, str]] = {
    "success_rate_at_1": {"prefix": "1+"},
    "success_rate_at_2": {"prefix": "2+"},
    "success_rate_at_3": {"prefix": "3+"},
    "exact_match": {"outcome": "exact_match"},
    "task_completable_rate": {"q": COMPLETABLE},
}
"""The terms of the plans that a rate by number of targets counts as successful."""


@dataclass(frozen=True)
class PlanLine:
    """A run in the tables of plans. ``lost``, ``picks``: bars of missing targets and of extra entries. ``listed``: how
    many trajectories count in each metric."""

    letter: str
    run: Run
    counts: PlanCounts
    links: RunLinks
    metrics: Metrics
    lost: Sequence[Bar]
    picks: Sequence[Bar]
    listed: Mapping[str, int]

    @property
    def recognized(self) -> Count:
        return self._of("recognition_f1")

    @property
    def selected(self) -> Count:
        return self._of("selection_f1")

    def _of(self, metric: str) -> Count:
        """The queries that a metric is a mean over."""
        row = self.metrics.get(metric)
        return self.links.population(row.n if row else 0, metric, listed=self.listed)

    def plans(self) -> dict[str, Count]:
        """The plans with each error."""
        return {name: self.counts.plans(name, self.links) for name in self.counts.errors}

    def populations(self) -> dict[str, Count]:
        return {name: self.counts.population(name, self.links) for name in self.counts.populations}

    @property
    def unseen(self) -> int:
        """Missing targets that were not recognized, without those that are hard to see."""
        hidden = self.counts.errors.get("occluded")
        return self.counts.errors["unrecognized"].n - (hidden.n if hidden else 0)


@dataclass(frozen=True)
class Dot:
    """A rate of one run. ``low``, ``high``: ends of its interval, "" without one."""

    x: str
    y: str
    words: str
    count: Count
    low: str = ""
    high: str = ""


@dataclass(frozen=True)
class Line:
    """A run in a drawing. ``path`` has a gap where the rate is undefined; ``kind`` is its place among the lines."""

    letter: str
    run: Run
    kind: int
    path: str
    dots: Sequence[Dot]
    end: tuple[str, str]


@dataclass(frozen=True)
class CurvePanel:
    metric: str
    label: str
    lines: Sequence[Line]


@dataclass(frozen=True)
class CurveCell:
    row: Metric | None
    n: Count


@dataclass(frozen=True)
class HeatCell:
    """``share`` None: too few plans. ``count``: the plans of the run on the value."""

    share: float | None
    count: Count
    words: str

    @property
    def ink(self) -> int:
        return round(STEPS * (self.share or 0.0))


@dataclass(frozen=True)
class HeatRow:
    """``mean``: of its known cells; ``count``: the plans of all of them."""

    name: str
    mean: float
    count: Count
    cells: Sequence[HeatCell]


@dataclass(frozen=True)
class ShownHeat:
    by: str
    heads: Sequence[tuple[str, Run]]
    rows: Sequence[HeatRow]
    sentence: str
    small: int


@dataclass(frozen=True)
class CallingLine:
    letter: str
    base: str
    pair: CallingPair
    counts: Mapping[str, Count]
    bars: Sequence[Bar]

    @property
    def shares(self) -> dict[str, float | None]:
        return {name: self.pair.effect.share(name) for name in ("benefit", "harm", "needless", "futile")}

    @property
    def interval(self) -> Interval | None:
        """The clustered one where samples share images."""
        return self.pair.effect.clustered or self.pair.effect.interval

    @property
    def p(self) -> float | None:
        effect = self.pair.effect
        return effect.p_cluster if effect.clusters < effect.n else effect.p_value


@dataclass(frozen=True)
class Point:
    letter: str
    x: str
    y: str
    aside: int
    down: int
    words: str
    cases: Count


@dataclass(frozen=True)
class PublishedMark:
    """A model of a paper: hollow, without a list."""

    x: str
    y: str
    words: str


@dataclass(frozen=True)
class Scatter:
    across: str
    up: str
    points: Sequence[Point]
    sentence: str
    published: Sequence[PublishedMark]


@dataclass(frozen=True)
class Shown:
    plans: Sequence[PlanLine]
    sizes: Sequence[tuple[str, str]]
    curves: Sequence[CurvePanel]
    curve_rows: Sequence[tuple[PlanLine, str, Sequence[CurveCell]]]
    more_lines: int
    heat: ShownHeat | None
    calling: Sequence[CallingLine]
    scatters: Sequence[Scatter]
    listed: bool
    """Whether any run has queries with both lists."""


def shown(found: Diagnostics) -> Shown:
    lines = [_plan_line(run, found) for run in found.planners]
    scatters = [_scatter(found, *pair, one) for pair, one in zip(PAIRS, found.correlations, strict=True)]
    sizes = [(size, format_number(_across(at, len(found.sizes)))) for at, size in enumerate(found.sizes)]
    return Shown(
        plans=lines,
        sizes=sizes,
        curves=[_panel(name, found, lines[:MOST_LINES]) for name in CURVES] if sizes else [],
        curve_rows=[(line, size, _curve_cells(line, size, found)) for line in lines for size in found.sizes],
        more_lines=max(len(lines) - MOST_LINES, 0),
        heat=_heat(found),
        calling=[_calling(pair) for pair in found.calling],
        scatters=[one for one in scatters if one.points],
        listed=any(line.counts.populations["both"] for line in lines),
    )


def _plan_line(run: Run, found: Diagnostics) -> PlanLine:
    counts = found.plans[run.pk]
    errors = {name: one.n for name, one in counts.errors.items()}
    hidden = errors.get("occluded", 0)
    lost = [("omitted", errors["omitted"]), ("unrecognized", errors["unrecognized"] - hidden), ("occluded", hidden)]
    picks = [(name, errors[name]) for name in ("in_scene", "repeated", "hallucinated")]
    links = RunLinks.of(run)
    return PlanLine(
        run.letter,
        run,
        counts,
        links,
        found.metrics[run.pk],
        stacked(lost),
        stacked(picks),
        found.listed.get(run.pk, {}),
    )


def _across(at: int, n: int) -> float:
    return LEFT + (RIGHT - LEFT) * (at + 0.5) / n


def _down(share: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * share


def _panel(name: str, found: Diagnostics, lines: Sequence[PlanLine]) -> CurvePanel:
    drawn = [_line(line, kind, name, found) for kind, line in enumerate(lines)]
    return CurvePanel(name, gettext(METRICS[name].label), _apart([one for one in drawn if one.dots]))


def _apart(lines: Sequence[Line]) -> list[Line]:
    """The letters at the ends of lines moved up or down, so that none covers another."""
    moved: dict[int, float] = {}
    lowest = BOTTOM + LETTER / 2
    order = sorted(lines, key=lambda one: -float(one.end[1]))
    for line in order:
        lowest = moved[line.kind] = min(float(line.end[1]), lowest - LETTER)
    highest = TOP - LETTER
    for line in reversed(order):
        highest = moved[line.kind] = max(moved[line.kind], highest + LETTER)
    return [replace(line, end=(line.end[0], format_number(moved[line.kind]))) for line in lines]


def _line(line: PlanLine, kind: int, name: str, found: Diagnostics) -> Line:
    path, dots, pen = "", [], "M"
    for at, size in enumerate(found.sizes):
        row = found.curves[line.run.pk].get(size, {}).get(name)
        if row is None or row.value is None:
            pen = "M"
            continue
        dot = _dot(line, name, size, row, _across(at, len(found.sizes)))
        path, pen = f"{path}{pen}{dot.x} {dot.y}", "L"
        dots.append(dot)
    return Line(line.letter, line.run, kind, path, dots, (dots[-1].x, dots[-1].y) if dots else ("", ""))


def _dot(line: PlanLine, name: str, size: str, row: Metric, x: float) -> Dot:
    words = gettext("%(run)s, %(targets)s targets: %(metric)s %(share)s%%, %(count)s of %(n)s plans")
    words %= {
        "run": line.run, "targets": size, "metric": gettext(METRICS[name].label), "share": percent(row.value),
        "count": decimal(row.numerator), "n": decimal(row.n),
    }  # fmt: skip
    count = line.links.count(row.numerator, targets=size, **SUCCEEDED[name])
    ends = ("", "") if row.ci_low is None or row.ci_high is None else (_y(row.ci_low), _y(row.ci_high))
    return Dot(format_number(x), _y(row.value or 0.0), words, count, *ends)


def _y(share: float) -> str:
    return format_number(_down(share))


def _curve_cells(line: PlanLine, size: str, found: Diagnostics) -> list[CurveCell]:
    rows = found.curves[line.run.pk].get(size, {})
    return [
        CurveCell(
            rows.get(name), line.links.count(row.n if (row := rows.get(name)) else 0, planned="yes", targets=size)
        )
        for name in CURVES
    ]


def _heat(found: Diagnostics) -> ShownHeat | None:
    heat = found.heat
    if heat is None:
        return None
    rows = []
    for (name, cells), mean in zip(heat.rows, heat.means, strict=True):
        shown_cells = [_heat_cell(run, heat.by, name, cell) for run, cell in zip(heat.runs, cells, strict=True)]
        rows.append(HeatRow(name, mean, _of_all(found, heat, name, cells), shown_cells))
    heads = [(run.letter, run) for run in heat.runs]
    return ShownHeat(heat.by, heads, rows, agreement_words(heat.agreement), heat.small)


def _of_all(found: Diagnostics, heat: Heat, name: str, cells: Sequence[Metric | None]) -> Count:
    """The plans of all runs with a cell in a row."""
    known = [(run, cell.n) for run, cell in zip(heat.runs, cells, strict=True) if cell is not None]
    terms = {"q": " or ".join(f"run:{run.pk}" for run, _ in known), "planned": "yes", **slice_terms(heat.by, name)}
    address = reverse("evaluation:trajectories", args=[found.runs[0].benchmark.slug])
    return Count(sum(n for _, n in known), f"{address}?{urlencode(terms)}")


def _heat_cell(run: Run, by: str, name: str, row: Metric | None) -> HeatCell:
    words = {"run": run, "value": name}
    if row is None:
        return HeatCell(None, Count(0), gettext("%(run)s, %(value)s: too few plans") % words)
    said = gettext("%(run)s, %(value)s: %(share)s%% of %(n)s plans can complete the task")
    said %= words | {"share": percent(row.value), "n": decimal(row.n)}
    return HeatCell(row.value, RunLinks.of(run).on_slice(by, name, row.n, planned="yes"), said)


def agreement_words(found: Concordance) -> str:
    if found.mean_rho is None or found.w is None:
        return gettext(
            "Agreement on the order of the rows is undefined: it needs two runs and two rows without a gap that differ."
        )
    message = gettext(
        "Agreement of %(runs)s runs on the order of %(rows)s rows without a gap: mean ρ %(rho)s, Kendall’s W %(w)s."
    )
    return message % {
        "runs": found.models, "rows": found.items, "rho": decimal(found.mean_rho, 2), "w": decimal(found.w, 2),
    }  # fmt: skip


def _calling(pair: CallingPair) -> CallingLine:
    terms = calling_terms(pair.without.pk, pair.tools.pk)
    links = RunLinks.of(pair.tools)
    counts = {
        name: Count(n := getattr(pair.effect, name), links.list(**one) if n else "") for name, one in terms.items()
    }
    bars = stacked((name, getattr(pair.effect, name)) for name in ("benefit", "harm", "needless", "futile"))
    return CallingLine(pair.tools.letter, pair.without.letter, pair, counts, bars)


def _scatter(found: Diagnostics, first: str, second: str, one: Correlation) -> Scatter:
    labels = [gettext(METRICS[name].label) for name in (first, second)]
    known: list[tuple[Run, float, float]] = []
    for run in found.runs:
        x, y = point_of(run, found.metrics[run.pk], first, second)
        if x is not None and y is not None:
            known.append((run, x, y))
    at = [(LEFT + (RIGHT - LEFT) * x, _down(y)) for _, x, y in known]
    points: list[Point] = []
    for (run, x, y), center, beside in zip(known, at, letters_of(at), strict=True):
        n = found.listed.get(run.pk, {}).get(f"{first} {second}", 0)
        words = f"{run}: {labels[0]} {percent(x)}%, {labels[1]} {percent(y)}%"
        words += f", n = {decimal(n)}" if n else ""
        place = format_number(center[0]), format_number(center[1]), *beside
        cases = RunLinks.of(run).population(n, first, second, listed=found.listed.get(run.pk))
        points.append(Point(run.letter, *place, words, cases))
    return Scatter(labels[0], labels[1], points, correlation_words(one), _published(labels, first, second))


def letters_of(centers: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
    """For each point where its letter is: the first of ``AROUND`` that covers no point and no other letter."""
    boxes: list[tuple[float, float, float, float]] = []
    chosen = []
    dots = [(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in centers]
    for x, y in centers:
        free = [
            (place, box)
            for place in AROUND
            if (box := _box(x + place[0], y + place[1]))[1] >= 0 and not any(_meet(box, one) for one in (*dots, *boxes))
        ]
        place, box = free[0] if free else (AROUND[0], _box(x + AROUND[0][0], y + AROUND[0][1]))
        boxes.append(box)
        chosen.append(place)
    return chosen


def _box(left: float, bottom: float) -> tuple[float, float, float, float]:
    return left, bottom - HIGH, left + WIDE, bottom


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _published(labels: Sequence[str], first: str, second: str) -> list[PublishedMark]:
    marks = []
    for one in published_points():
        x, y = one.values[first].value, one.values[second].value
        place = format_number(LEFT + (RIGHT - LEFT) * x), format_number(_down(y))
        said = f"{one.model} ({one.place}): {labels[0]} {percent(x)}%, {labels[1]} {percent(y)}%"
        marks.append(PublishedMark(*place, said))
    return marks


def correlation_words(one: Correlation) -> str:
    runs = ngettext("%(count)s run", "%(count)s runs", one.n) % {"count": one.n}
    if one.rho is None:
        return gettext("Spearman’s ρ is undefined over %(runs)s.") % {"runs": runs}
    words = {"rho": decimal(one.rho, 2), "runs": runs}
    if one.interval is None:
        few = gettext("Spearman’s ρ %(rho)s over %(runs)s; an interval needs %(least)s runs and a ρ between −1 and 1.")
        return few % (words | {"least": LEAST_PAIRS})
    ends = {"low": decimal(one.interval.low, 2), "high": decimal(one.interval.high, 2)}
    return gettext("Spearman’s ρ %(rho)s [%(low)s to %(high)s] over %(runs)s") % (words | ends)
