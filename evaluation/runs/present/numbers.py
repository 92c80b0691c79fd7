"""The summary numbers and the quadrant matrix of a run's page, from its stored metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, ngettext

from annotation.statistics import MIN_CLUSTERS
from evaluation.common.design_effect import METHODS, design_words
from evaluation.common.links import Count, RunLinks
from evaluation.metrics.accuracy_gap import AccuracyGap, accuracy_difference, odds_ratio
from evaluation.metrics.columns import Quadrant
from evaluation.metrics.undecided import Range, could_turn, difference_range
from evaluation.models import Metric
from webapp.common.formatting import NOT_AVAILABLE, decimal, percent, percentage_points, points_open, range_of

Metrics = Mapping[str, Metric]

QUADRANT_METRICS = (
    "valid_grounded_reasoning",
    "ground_success_answer_failure",
    "ungrounded_correct_answer",
    "dual_failure",
)


@dataclass(frozen=True, slots=True)
class SummaryNumber:
    """One summary number: its label, its interval as text, and the counts behind it.

    ``term``: its entry in the glossary. ``itself``: the number as a count, if it counts trajectories.
    """

    label: str
    term: str
    value: str
    unit: str = ""
    interval: str = ""
    counts: Sequence[Count] = ()
    words: str = ""
    itself: Count | None = None
    range: str = ""

    @property
    def shown(self) -> str:
        return self.itself.markup() if self.itself else self.value


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of ``ui/_quadrant_matrix.html``. ``range``: the range of the share that undecided answers allow, as text;
    ``provisional``: it is shown instead of the share.
    """

    name: str
    share: float | None
    low: float | None
    high: float | None
    count: int
    href: str
    range: str = ""
    provisional: bool = False


def half_width(metric: Metric | None) -> str:
    """Return half the width of the interval, in percentage points: "±2.5"."""
    if metric is None or metric.ci_low is None or metric.ci_high is None:
        return ""
    return f"±{percent((metric.ci_high - metric.ci_low) / 2)}"


def interval_words(metric: Metric | None) -> str:
    if metric is None or metric.value is None:
        return ""
    if metric.ci_low is None or metric.ci_high is None:
        there = metric.detail.get("clusters")
        if there is None:
            message = gettext("No interval: at least %(least)s image clusters are needed.")
        else:
            message = ngettext(
                "No interval: at least %(least)s image clusters are needed, there is %(count)s.",
                "No interval: at least %(least)s image clusters are needed, there are %(count)s.",
                there,
            )
        return message % {"least": MIN_CLUSTERS, "count": decimal(there)}
    return interval_said(metric.ci_method, metric.ci_low, metric.ci_high, metric.n, metric.detail)


def interval_said(method: str, low: float, high: float, n: int, detail: Mapping[str, Any]) -> str:
    """Return the ends of an interval of a share, its method and its design effect."""
    message = gettext("95%% %(method)s: %(low)s to %(high)s%%")
    said = message % {"method": METHODS.get(method, method), "low": percent(low), "high": percent(high)}
    design = design_words(n, detail.get("n_eff"))
    return f"{said}; {design}" if design else said


def summary_numbers(
    metrics: Metrics, counts: Mapping[str, int], links: RunLinks, *, provisional: bool = False
) -> list[SummaryNumber]:
    """Return the numbers under the title. Each rate names its numerator and its n, and both link to lists."""
    population = {"population": "yes"}
    seen = {"grounded": "yes"}
    placed = {"population": "yes", "counted": "yes"}
    answered = {"counted": "yes"} if all_recorded(metrics, counts) else None
    return [
        _rate(gettext("Accuracy"), metrics, "accuracy", links, {"correct": "yes"}, answered, provisional=provisional),
        _rate(gettext("Grounded"), metrics, "grounded_score", links, seen, population),
        _rate(
            gettext("Accuracy when grounded"), metrics, "accuracy_when_grounded", links, {"quadrant": "G+A+"},
            {**placed, "grounded": "yes"}, provisional=provisional,
        ),
        _rate(
            gettext("Accuracy when ungrounded"), metrics, "accuracy_when_ungrounded", links, {"quadrant": "G-A+"},
            {**placed, "grounded": "no"}, provisional=provisional,
        ),
        _mean(gettext("Coverage, mean"), metrics, "mean_coverage", links),
        _mean(gettext("Concentration, mean"), metrics, "mean_concentration", links),
        _calls(metrics, counts, links),
        _cost(metrics, counts, links),
        SummaryNumber(
            gettext("No quadrant"), "grounding-population", decimal(counts["outside"]),
            words=gettext("no zoom call, no gold box, image replaced, or answer not counted"),
            itself=links.count(counts["outside"], quadrant="none"),
        ),
    ]  # fmt: skip


def all_recorded(metrics: Metrics, counts: Mapping[str, int]) -> bool:
    """Return whether every answer counted in accuracy has a trajectory: a missing one can be counted as incorrect."""
    accuracy = metrics.get("accuracy")
    return accuracy is not None and accuracy.n == counts["counted"]


@dataclass(frozen=True, slots=True)
class Difference:
    """Accuracy when grounded minus accuracy when ungrounded.

    ``points``: with their unit, or the reason why there are none; ``left_open``: their range due to undecided answers,
    "" if it is shown instead of the points; ``spread``: the interval as text, or why there is none; ``drawn``: its
    method.
    """

    points: str
    odds: str
    spread: str
    drawn: str
    left_open: str = ""


def difference(found: AccuracyGap, *, provisional: bool = False) -> Difference:
    points, odds = _difference_words(found.counts)
    images = ngettext("%(count)s image cluster", "%(count)s image clusters", found.clusters)
    images %= {"count": decimal(found.clusters)}
    left_open = points_open(found.low, found.high, could_turn=could_turn(found.value, found.low, found.high))
    if found.value is None:
        return Difference(points, odds, "", images)
    if left_open and provisional:
        return Difference(left_open, NOT_AVAILABLE, "", images)
    if found.ci_low is None or found.ci_high is None:
        few = gettext("no interval: fewer than %(least)s image clusters (%(count)s)")
        few %= {"least": MIN_CLUSTERS, "count": decimal(found.clusters)}
        return Difference(points, odds, few, images, left_open)
    message = gettext("95%% %(method)s: %(low)s to %(high)s pp")
    ends = {"low": percentage_points(found.ci_low), "high": percentage_points(found.ci_high)}
    draws, drawn = found.detail.get("draws"), images
    if draws:
        drawn = gettext("%(count)s draws of %(images)s, seed %(seed)s")
        drawn %= {"count": decimal(draws), "images": images, "seed": found.detail["seed"]}
    return Difference(points, odds, message % {"method": METHODS[found.ci_method], **ends}, drawn, left_open)


def moved_difference(
    counts: Sequence[int], undecided: Sequence[int] | None, *, provisional: bool = False
) -> tuple[str, str, str]:
    """Return the difference, the odds ratio and the range of the difference as texts, like ``difference``.

    ``counts``: G+A+, G+A-, G-A+, G-A- at a threshold; ``undecided``: how many of the second and of the fourth are
    undecided, None if unknown: then a provisional run has no point.
    """
    points, odds = _difference_words(counts)
    value = accuracy_difference(counts)
    if value is None:
        return points, odds, ""
    if undecided is None:
        return (NOT_AVAILABLE, NOT_AVAILABLE, "") if provisional else (points, odds, "")
    low, high = difference_range(*(_accuracies(counts[at : at + 2], undecided[at // 2]) for at in (2, 0)))
    left_open = points_open(low, high, could_turn=could_turn(value, low, high))
    return (left_open, NOT_AVAILABLE, "") if left_open and provisional else (points, odds, left_open)


def _accuracies(counts: Sequence[int], undecided: int) -> Range:
    """Return the accuracies that undecided answers allow. They are counted among the incorrect ones."""
    right, n = counts[0], sum(counts)
    return right / n, (right + undecided) / n


def _difference_words(counts: Sequence[int]) -> tuple[str, str]:
    """Return the difference and the odds ratio of four counts: G+A+, G+A-, G-A+, G-A-."""
    value, (ratio, halves) = accuracy_difference(counts), odds_ratio(counts)
    if value is None:
        none = counts[0] + counts[1] == 0
        return (
            gettext("n/a: no crop is grounded") if none else gettext("n/a: every crop is grounded"),
            NOT_AVAILABLE,
        )
    odds = decimal(ratio, 2)
    halved = gettext("%(odds)s (0.5 added to each cell, because one is 0)") % {"odds": odds}
    return gettext("%(points)s pp") % {"points": percentage_points(value)}, halved if halves else odds


def quadrant_cells(metrics: Metrics, links: RunLinks, *, provisional: bool = False) -> list[Cell]:
    """Return the four cells in their order; empty if the grounding population is empty."""
    rows = [metrics.get(name) for name in QUADRANT_METRICS]
    if not all(row and row.n for row in rows):
        return []
    return [
        _cell(name, row, links, provisional) for name, row in zip(Quadrant.NAMES, rows, strict=True) if row is not None
    ]


def _cell(name: str, row: Metric, links: RunLinks, provisional: bool) -> Cell:
    spread, count = range_of(row.detail.get("low"), row.detail.get("high")), int(row.numerator or 0)
    href = links.list(quadrant=name)
    return Cell(name, row.value, row.ci_low, row.ci_high, count, href, spread, provisional and bool(spread))


def _rate(
    label: str, metrics: Metrics, term: str, links: RunLinks, top: Mapping[str, str], whole: Mapping[str, str] | None,
    *, provisional: bool = False,
) -> SummaryNumber:  # fmt: skip
    """Return a rate with the range that undecided answers allow; for a provisional run only the range. ``term``: the
    name of its metric.
    """
    metric = metrics.get(term)
    if metric is None or metric.value is None:
        return SummaryNumber(label, term, percent(None), words="n = 0")
    counts = [links.count(metric.numerator, **top)]
    counts.append(links.count(metric.n, **whole) if whole else Count(metric.n))
    spread = range_of(metric.detail.get("low"), metric.detail.get("high"))
    if spread and provisional:
        return SummaryNumber(label, term, spread, "%", interval_words(metric), counts)
    unit = f"% {half_width(metric)}".strip()
    return SummaryNumber(label, term, percent(metric.value), unit, interval_words(metric), counts, range=spread)


def recognition_numbers(metrics: Metrics, counts: Mapping[str, int], links: RunLinks) -> list[SummaryNumber]:
    """Return the numbers under the title of a detector, for which no others are defined."""
    labels = {
        "recognition_precision": gettext("Tool recognition precision"),
        "recognition_recall": gettext("Tool recognition recall"),
        "recognition_f1": gettext("Tool recognition F1"),
    }
    numbers = []
    for name, label in labels.items():
        metric = metrics.get(name)
        value, n = (metric.value, metric.n) if metric else (None, 0)
        unit = "" if value is None else f"% {half_width(metric)}".strip()
        message = gettext("n = %(count)s") % {"count": decimal(n)}
        numbers.append(SummaryNumber(label, name, percent(value), unit, interval_words(metric), words=message))
    return [*numbers, SummaryNumber(gettext("Trajectories"), "trajectory", "", itself=links.count(counts["all"]))]


def _mean(label: str, metrics: Metrics, term: str, links: RunLinks) -> SummaryNumber:
    metric = metrics.get(term)
    if metric is None or metric.value is None:
        return SummaryNumber(label, term, percent(None), words="n = 0")
    unit = f"% {half_width(metric)}".strip()
    counts = (links.count(metric.n, population="yes"),)
    return SummaryNumber(label, term, percent(metric.value), unit, interval_words(metric), counts, gettext("crops"))


def _calls(metrics: Metrics, counts: Mapping[str, int], links: RunLinks) -> SummaryNumber:
    mean, efficiency = metrics.get("calls_mean"), metrics.get("tool_efficiency")
    effective = efficiency.value if efficiency else None
    return SummaryNumber(
        gettext("Calls, mean"),
        "calls_mean",
        decimal(mean.value if mean else None, 1),
        "" if effective is None else gettext("%(share)s%% effective") % {"share": percent(effective)},
        counts=(links.count(counts["scored"], scored="yes"),),
        words=gettext("trajectories"),
    )


def _cost(metrics: Metrics, counts: Mapping[str, int], links: RunLinks) -> SummaryNumber:
    """Return the cost in dollars if the run records it; else calls, which cost 1 each."""
    dollars, calls, right = (metrics.get(name) for name in ("usd_mean", "cost_mean", "cost_per_correct"))
    if dollars and dollars.value is not None:
        return SummaryNumber(
            gettext("Cost, mean"),
            "usd_mean",
            f"${decimal(dollars.value, 3)}",
            counts=(links.count(dollars.n, scored="yes", priced="yes"),),
            words=gettext("with a price"),
        )
    per_right = right.value if right else None
    return SummaryNumber(
        gettext("Cost, mean"),
        "cost_mean",
        decimal(calls.value if calls else None, 1),
        gettext("calls")
        if per_right is None
        else gettext("calls, %(number)s per correct answer") % {"number": decimal(per_right, 1)},
        counts=(links.count(counts["scored"], scored="yes"),),
        words=gettext("trajectories"),
    )
