"""Two raters compared: overlap of boxes, agreement of labels, and the 2×2 table of one label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from django.utils.translation import gettext, ngettext

from annotation.agreement import Chance, Coefficient, agree, chance, one_against_rest
from annotation.common.words import Count, count_of
from annotation.models import Benchmark
from annotation.quality.present.matrix import value_of
from annotation.quality.read.agreement import DISPUTED_BELOW, Pair
from annotation.quality.read.labels import Label, LabelAgreement
from annotation.statistics import Interval, bootstrap_interval, cluster_totals, ratio, wilson

BINS = 10
CHART_HEIGHT = 86.0


@dataclass(frozen=True)
class Bin:
    """One bar of the overlap chart, in units of its drawing: 10 bars of 32 from x = 34, the axis at y = 118."""

    x: float
    y: float
    height: float
    pairs: int
    count: Count
    words: str
    disputed: bool


@dataclass(frozen=True)
class Inside:
    """The mean share of one person's boxes inside the other's: of the first's, the second's, or either's."""

    which: str
    value: float
    interval: Interval | None


@dataclass(frozen=True)
class Overlap:
    """The overlap of the boxes of some pairs; at least one pair has boxes."""

    bins: list[Bin]
    median: float
    below: Count
    insides: list[Inside]


def overlap_of(benchmark: Benchmark, pairs: Sequence[Pair], several: bool = False) -> Overlap | None:
    """Return the overlap; None if no pair has boxes from both. For ``several`` people together, the order of a pair
    means nothing.
    """
    drawn = [(pair, pair.boxes) for pair in pairs if pair.boxes is not None]
    if not drawn:
        return None
    groups: list[list[Pair]] = [[] for _ in range(BINS)]
    for pair, boxes in drawn:
        groups[min(int(boxes.iou * BINS + 1e-9), BINS - 1)].append(pair)
    counts = [count_of(benchmark, (pair.place.key for pair in group)) for group in groups]
    clusters = [pair.place.cluster for pair, _ in drawn]
    inside = {
        "first": [boxes.ioa_first for _, boxes in drawn],
        "second": [boxes.ioa_second for _, boxes in drawn],
        "either": [(boxes.ioa_first + boxes.ioa_second) / 2 for _, boxes in drawn],
    }
    return Overlap(
        bins=_bins([len(group) for group in groups], counts),
        median=median(boxes.iou for _, boxes in drawn),
        below=count_of(benchmark, (pair.place.key for pair, boxes in drawn if boxes.iou < DISPUTED_BELOW)),
        insides=[
            Inside(which, float(np.mean(inside[which])), _mean_interval(inside[which], clusters))
            for which in (("either",) if several else ("first", "second"))
        ],
    )


def _bins(sizes: Sequence[int], counts: Sequence[Count]) -> list[Bin]:
    largest = max(sizes) or 1
    bins = []
    for place, (size, count) in enumerate(zip(sizes, counts, strict=True)):
        height = max(1.0, CHART_HEIGHT * size / largest) if size else 0.0
        words = ngettext(
            "IoU %(low)s to %(high)s: %(count)s sample", "IoU %(low)s to %(high)s: %(count)s samples", count.n
        )
        words %= {"low": f"{place / BINS:.1f}", "high": f"{(place + 1) / BINS:.1f}", "count": count.n}
        if size != count.n:
            words = gettext("%(samples)s, %(count)s pairs") % {"samples": words, "count": size}
        below = (place + 1) / BINS <= DISPUTED_BELOW
        bins.append(Bin(35.0 + 32 * place, round(118 - height, 1), round(height, 1), size, count, words, below))
    return bins


def _mean_interval(values: Sequence[float], clusters: Sequence[str]) -> Interval | None:
    book: dict[str, int] = {}
    codes = np.array([book.setdefault(name, len(book)) for name in clusters], dtype=np.int64)
    totals = cluster_totals(np.column_stack([np.array(values), np.ones(len(values))]), codes)
    return bootstrap_interval(totals, ratio)


@dataclass(frozen=True)
class CoefficientRow:
    """One label in the table: raw agreement, ``pairs`` agreeing of all, coefficients with a reason where undefined."""

    name: str
    title: str
    words: str
    raw: Coefficient
    agreeing: Count
    both: Count
    pairs: tuple[int, int]
    coefficients: list[tuple[str, Coefficient, str]]

    @property
    def undefined(self) -> str:
        """Return why no coefficient is defined, if the reason is the same for all; else ""."""
        reasons = {reason for _, one, reason in self.coefficients if one.value is None}
        none = all(one.value is None for _, one, _ in self.coefficients)
        return reasons.pop() if none and len(reasons) == 1 else ""


def coefficient_row(benchmark: Benchmark, found: LabelAgreement, pairs: Sequence[Pair]) -> CoefficientRow:
    label = found.label
    several = {"kappa": found.kappa, "alpha": found.alpha, "ac1": found.ac1}
    shown = ", ".join(label.categories[:4]) + (" …" if len(label.categories) > 4 else "")
    return CoefficientRow(
        name=label.name,
        title=label.title,
        words=shown or gettext("no letter from both"),
        raw=found.raw,
        agreeing=count_of(benchmark, _keys(pairs, label.agreeing)),
        both=count_of(benchmark, _keys(pairs, label.both)),
        pairs=(len(label.agreeing), len(label.both)),
        coefficients=[(name, value, gettext(found.reasons.get(name, ""))) for name, value in several.items()],
    )


def lowest_of(rows: Sequence[CoefficientRow]) -> float:
    """Return the beginning of the axis of the intervals: a little below 0, or −1 if a value is lower."""
    ends = [one.interval.low if one.interval else one.value for row in rows for _, one, _ in row.coefficients]
    return -1.0 if any(end < -0.1 for end in ends if end is not None) else -0.1


@dataclass(frozen=True)
class TwoByTwo:
    """One category against the rest: counts (both, first only, second only, neither), what chance is in the
    coefficients, the coefficients, and how many of all labels are this category."""

    label: str
    value: str
    values: list[str]
    cells: list[Count]
    sizes: list[int]
    chance: Chance
    kappa: float | None
    ac1: float | None
    used: int
    labels: int

    @property
    def far_apart(self) -> bool:
        """Whether kappa and AC1 say different things, as they do with a rare category."""
        return self.kappa is not None and self.ac1 is not None and abs(self.kappa - self.ac1) > 0.2

    @property
    def bars(self) -> list[tuple[str, float, tuple[float, float, float | None]]]:
        """Coefficient, its chance, and: points above chance, points there are above chance, their ratio."""
        seen = self.chance.observed
        pairs = (("κ", self.chance.kappa, self.kappa), ("AC1", self.chance.ac1, self.ac1))
        return [(name, share, (100 * (seen - share), 100 * (1 - share), value)) for name, share, value in pairs]


def two_by_two(benchmark: Benchmark, label: Label, value: str, pairs: Sequence[Pair]) -> TwoByTwo | None:
    """None when the label has fewer than two categories in use. Without ``value``: the most frequent category."""
    both = label.both
    given = [int(code) for row in both for code in (label.first[row], label.second[row])]
    if len(set(given)) < 2:
        return None
    used = sorted({label.categories[code] for code in given})
    names = [label.categories[code] for code in given]
    value = value if value in used else max(used, key=names.count)
    first, second = (one_against_rest(codes, label.categories.index(value)) for codes in (label.first, label.second))
    groups = [[row for row in both if (first[row], second[row]) == place] for place in ((0, 0), (0, 1), (1, 0), (1, 1))]
    sizes = [len(group) for group in groups]
    expected = chance([sizes[:2], sizes[2:]])
    if expected is None:
        return None
    found = agree(first, second, 2)
    return TwoByTwo(
        label=label.title,
        value=value,
        values=used,
        cells=[count_of(benchmark, _keys(pairs, group)) for group in groups],
        sizes=sizes,
        chance=expected,
        kappa=found.kappa.value,
        ac1=found.ac1.value,
        used=names.count(value),
        labels=len(names),
    )


@dataclass(frozen=True)
class FacetRow:
    """The pairs whose sample has one value of the chosen facet."""

    value: str
    samples: Count
    iou: float | None
    same: float | None
    same_interval: Interval | None
    disputed: Count


def facet_rows(benchmark: Benchmark, pairs: Sequence[Pair]) -> list[FacetRow]:
    """Return a row for each value of the facet that the work was loaded by. Samples without a value are under
    "none"."""
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        for value in pair.place.values or ("none",):
            groups.setdefault(value, []).append(pair)
    return [_facet_row(benchmark, value, group) for value, group in sorted(groups.items())]


def _facet_row(benchmark: Benchmark, value: str, pairs: Sequence[Pair]) -> FacetRow:
    same, answered = value_of("answers", pairs)
    return FacetRow(
        value=value,
        samples=count_of(benchmark, (pair.place.key for pair in pairs)),
        iou=value_of("boxes", pairs)[0],
        same=same,
        same_interval=wilson(sum(pair.same is True for pair in pairs), answered),
        disputed=count_of(benchmark, (pair.place.key for pair in pairs if pair.disputed)),
    )


def _keys(pairs: Sequence[Pair], rows: Sequence[int]) -> list[str]:
    return [pairs[row].place.key for row in rows]
