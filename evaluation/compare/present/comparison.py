"""A comparison for its page: 2 × 2 tables, tests as text, and differences on one axis. No number is computed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy

from evaluation.common.figures import axis_of
from evaluation.compare.present.links import Asked, Count, PairLinks
from evaluation.compare.read.runs import CELLS, RunComparison, SliceDifference
from evaluation.metrics.comparison import Comparison
from evaluation.metrics.intervals import Interval
from evaluation.models import Run
from webapp.common.drawing import as_percent, scale
from webapp.common.formatting import decimal, percent, percentage_points, points_open
from webapp.common.markup import fast_format_html_join
from webapp.common.svg import around_zero

WORDS = {
    "both": gettext_lazy("both correct"),
    "a_only": gettext_lazy("only %(a)s correct"),
    "b_only": gettext_lazy("only %(b)s correct"),
    "neither": gettext_lazy("both incorrect"),
}
LEVEL = 0.05
LEAST_SHARE = 0.001
"""Smaller shares of cases have no digit to show."""
MOST_ON_SMALL = 3
"""The maximum number of ticks of an axis on a small screen."""


@dataclass(frozen=True)
class Axis:
    """An axis of differences from ``low`` to ``high``, with its ticks as markup."""

    low: float
    high: float

    @property
    def marks(self) -> list[float]:
        """The values of the ticks: at most seven, in whole steps."""
        step = next(s for s in (0.1, 0.2, 0.5, 1.0) if (self.high - self.low) / s <= 6)
        first, last = round(self.low / step), round(self.high / step)
        return [k * step for k in range(first, last + 1) if self.low - 1e-9 <= k * step <= self.high + 1e-9]

    @property
    def ticks(self) -> SafeString:
        marks = self.marks
        places = [scale(mark, self.low, self.high) for mark in marks]
        anchors = ["start" if at < 3 else "end" if at > 97 else "middle" for at in places]
        texts = [percentage_points(mark, 0) for mark in marks]
        # Every second tick next to 0 is hidden on small screens.
        zero = min(range(len(marks)), key=lambda k: abs(marks[k]))
        classes = ["hide-s" if len(marks) > MOST_ON_SMALL and (k - zero) % 2 else "" for k in range(len(marks))]
        form = '<text class="{}" x="{}" y="11" text-anchor="{}">{}</text>'
        return fast_format_html_join("", form, zip(classes, map(as_percent, places), anchors, texts, strict=True))


@dataclass(frozen=True)
class Cell:
    """A cell of a 2 × 2 table."""

    name: str
    words: str
    count: Count
    share: float | None
    href: str
    on: bool


@dataclass(frozen=True)
class Line:
    """One pair of runs, or one slice of the first pair. ``only_a``, ``only_b``: samples that only one of them answers
    correctly.
    """

    label: str
    found: Comparison
    n: Count
    only_a: Count
    only_b: Count
    drawn: SafeString
    begins: str = ""

    @property
    def left_open(self) -> str:
        return open_words(self.found)

    @property
    def told_apart(self) -> bool:
        return self.found.p_holm is not None and self.found.p_holm < LEVEL

    @property
    def too_few(self) -> float | None:
        """The smallest p possible with so few images, if it is not below the significance level; else None."""
        least = self.found.least_p_cluster
        return least if self.found.shares_clusters and least is not None and least >= LEVEL else None


@dataclass(frozen=True)
class Shown:
    """The data of ``evaluation/compare/compare.html``. ``a``, ``b``: the letters of the first two runs; ``first``: this
    pair, on all samples.
    """

    a: str
    b: str
    cells: Sequence[Cell]
    first: Line
    pairs: Sequence[Line]
    slices: Sequence[Line]
    axis: Axis
    direction: str
    why: str


def shown(slug: str, found: RunComparison, asked: Asked, letters: Mapping[int, str]) -> Shown:
    """``letters``: of every run of the benchmark, by primary key."""
    runs = found.runs
    a, b = (letters[run.pk] for run in runs[:2])
    axis = axis_over([*found.pairs, *(one.found for one in found.slices)])
    links = PairLinks(slug, runs[0].pk, runs[1].pk)
    pair = found.pairs[0]
    pairs = [
        line_of(f"{letters[run.pk]} {run}", one, PairLinks(slug, runs[0].pk, run.pk), axis)
        for run, one in zip(runs[1:], found.pairs, strict=True)
    ]
    return Shown(
        a=a,
        b=b,
        cells=[_cell(name, WORDS[name] % {"a": a, "b": b}, pair, links, asked) for name in CELLS],
        first=line_of(gettext("All samples"), pair, links, axis),
        pairs=pairs,
        slices=_slices(slug, found.slices, runs, axis),
        axis=axis,
        direction=_direction(pair, a, b),
        why=_why(pair),
    )


def open_words(found: Comparison) -> str:
    """Return the range of a difference that undecided answers allow: "−1.0 to +3.0 pp"; "" if there are none."""
    return points_open(*found.range, could_turn=found.could_turn)


def axis_over(compared: Sequence[Comparison]) -> Axis:
    """Return an axis that fits all of these differences and their intervals."""
    drawn = axis_of([0.0, *(end for one in compared for end in with_ends(one.difference, one.interval))])
    return Axis(drawn.low, drawn.high)


def with_ends(value: float | None, interval: Interval | None) -> tuple[float | None, float | None, float | None]:
    """Return a value with the ends of its interval, None if there is none."""
    return value, interval.low if interval else None, interval.high if interval else None


def _cell(name: str, words: str, pair: Comparison, links: PairLinks, asked: Asked) -> Cell:
    n = getattr(pair, name)
    return Cell(
        name=name,
        words=words,
        count=links.cell(name, n),
        share=n / pair.n if pair.n else None,
        href=asked.address(cell=name, sample=""),
        on=name == asked.cell,
    )


def _slices(slug: str, slices: Sequence[SliceDifference], runs: Sequence[Run], axis: Axis) -> list[Line]:
    lines = []
    for by, group in groupby(slices, key=lambda one: one.by):
        for at, one in enumerate(group):
            links = PairLinks(slug, runs[0].pk, runs[1].pk, (by, one.value))
            lines.append(line_of(one.value, one.found, links, axis, "" if at else by))
    return lines


def line_of(label: str, found: Comparison, links: PairLinks, axis: Axis, begins: str = "") -> Line:
    return Line(
        label,
        found,
        links.shared(found.n),
        links.cell("a_only", found.a_only),
        links.cell("b_only", found.b_only),
        around_zero(*with_ends(found.difference, found.interval), axis.low, axis.high),
        begins,
    )


def _direction(pair: Comparison, a: str, b: str) -> str:
    """Return ``D is 12.8 points below C``, with the letters ``a`` and ``b``."""
    if pair.difference is None:
        return gettext("No sample that both runs answered")
    if pair.difference == 0:
        return gettext("%(a)s and %(b)s are equally accurate") % {"a": a, "b": b}
    points = percentage_points(abs(pair.difference)).lstrip("+")
    above = pair.difference > 0
    message = gettext("%(b)s is %(points)s pp above %(a)s") if above else gettext("%(b)s is %(points)s pp below %(a)s")
    return message % {"a": a, "b": b, "points": points}


def _why(pair: Comparison) -> str:
    """Return as text what the decisive p says about the difference, and the number of samples needed to separate the
    runs.
    """
    if pair.p_decisive is None or not pair.difference:
        return ""
    often = gettext("fewer than 0.1%") if pair.p_decisive < LEAST_SHARE else f"{percent(pair.p_decisive)}%"
    said = gettext("If both runs were equally accurate, a difference this large would occur in %(share)s of cases.")
    said %= {"share": often}
    if pair.p_decisive < LEVEL:
        return f"{said} {gettext('The difference is significant.')}"
    tied = f"{said} {gettext('The difference is not significant.')}"
    if pair.needed is None or pair.needed <= pair.n:
        return tied
    points = percentage_points(abs(pair.difference)).lstrip("+")
    more = gettext("About %(count)s such samples are needed to detect %(points)s pp (80%% power).")
    return f"{tied} {more % {'count': _rounded(pair.needed), 'points': points}}"


def _rounded(count: int) -> str:
    """Return an estimate with two digits: 5,581 as "5,600"."""
    return decimal(round(count, 2 - len(str(count))))
