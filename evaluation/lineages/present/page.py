"""The page of a lineage: its table, what separates, and what flipped between two steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext

from evaluation.common.board_metrics import BoardMetric
from evaluation.common.links import Count, RunLinks, numerator_terms
from evaluation.common.pairs import flip_terms
from evaluation.common.rewards import rollouts_of
from evaluation.lineages.present.curves import compared, label_of, number_words, separated_step, term_of, unit_of
from evaluation.lineages.read import REWARDS, Point, Series
from evaluation.metrics.columns import Quadrant
from evaluation.metrics.separation import StepChange
from webapp.common.formatting import decimal, p_value, percentage_points, span
from webapp.common.svg import QUADRANTS as SIGNS


@dataclass(frozen=True)
class Cell:
    """A value as text, its interval and its n. ``text`` "n/a" if undefined. ``count``: the trajectories in the
    numerator of a share, if they can be listed.
    """

    text: str
    ends: str = ""
    n: Count | None = None
    count: Count | None = None


@dataclass(frozen=True)
class Row:
    """One checkpoint of the table. ``apart``: how far accuracy and grounding have moved apart since the first one."""

    point: Point
    href: str
    cells: Sequence[Cell]
    apart: Cell
    p: str
    separated: bool


@dataclass(frozen=True)
class Transition:
    """A count of the table of quadrants; ``stayed``: on its diagonal."""

    count: Count
    stayed: bool


@dataclass(frozen=True)
class ShownFlips:
    """The flips between two checkpoints. ``quadrants``: a row of counts for each earlier quadrant, by name."""

    before: Point
    after: Point
    compare: str
    answered: Count
    correct: Count
    incorrect: Count
    looked: Count
    grounded: Count
    ungrounded: Count
    names: Sequence[str]
    quadrants: Sequence[tuple[str, Sequence[Transition]]]


def columns_of(series: Series) -> list[str]:
    """The metrics with a value at any checkpoint."""
    return [metric for metric in series.measured if series.known(metric)]


def rows_of(series: Series, points: Iterable[Point]) -> list[Row]:
    """Rows of the table that says what the curves draw, for some checkpoints of the series."""
    changes = changes_by_run(series)
    metrics = columns_of(series)
    slug = series.lineage.benchmark.slug
    narrowed = {"q": series.query} if series.query else {}
    first = next((point.run.pk for point in compared(series)), 0)

    def links_of(point: Point) -> RunLinks:
        return RunLinks(slug, point.run.pk, narrowed)

    return [
        Row(
            point,
            reverse("evaluation:run", args=[slug, point.run.pk]),
            [_cell(point, metric, links_of(point)) for metric in metrics],
            _apart(changes.get(point.run.pk), first, links_of(point)),
            p_value(one.p_holm) if (one := changes.get(point.run.pk)) and one.p_holm is not None else "",
            bool(one and one.separated),
        )
        for point in points
    ]


def changes_by_run(series: Series) -> Mapping[int, StepChange]:
    """Return the differences of each later checkpoint from the first, by the number of its run."""
    if series.separation is None:
        return {}
    later = compared(series)[1:]
    return {point.run.pk: one for point, one in zip(later, series.separation.changes, strict=True)}


def _cell(point: Point, metric: str, links: RunLinks) -> Cell:
    found = point.metrics.get(metric)
    if found is None or found.value is None:
        return Cell("n/a")
    low, high = found.ci_low, found.ci_high
    ends = "" if low is None or high is None else f"{number_words(metric, low)}\N{EN DASH}{number_words(metric, high)}"
    return Cell(
        number_words(metric, found.value), ends, _population(point, found, links), _numerator(point, found, links)
    )


def _population(point: Point, found: BoardMetric, links: RunLinks) -> Count:
    """The n of a metric, with the trajectories that count in it where they can be listed."""
    if found.metric in REWARDS:
        return Count(found.n, rollouts_of(links.slug, links.run, rewarded="yes"))
    return point.cases.get(found.metric) or links.population(found.n, found.metric, listed=point.listed)


def _numerator(point: Point, found: BoardMetric, links: RunLinks) -> Count | None:
    """None for what is measured while rows arrive: lists show what is scored."""
    if point.scoring is None or point.arriving is not None or point.run.by_people or found.numerator is None:
        return None
    terms = numerator_terms(found.metric, point.scoring.settings)
    return links.count(round(found.numerator), **terms) if terms else None


def _apart(change: StepChange | None, first: int, links: RunLinks) -> Cell:
    """``first``: the run that all others are compared with."""
    if change is None or change.apart is None:
        return Cell("" if change is None else "n/a")
    low, high = change.low, change.high
    ends = "" if low is None or high is None else span(percentage_points(low), percentage_points(high))
    both = f"{first},{links.run}"
    return Cell(percentage_points(change.apart), ends, links.count(change.n, population_in=both, shared_with=both))


def separation_words(series: Series) -> tuple[str, str]:
    """Return the finding as a sentence, and its basis."""
    found = series.separation
    if not series.paired:
        return gettext("Steps are not compared on this query"), gettext(
            "It chooses samples by what a run did on them. Use fields of samples and facets to compare steps."
        )
    if found is None or not found.changes:
        return gettext("Two scored checkpoints are needed to compare steps"), ""
    at = separated_step(series)
    if at is not None and found.first is not None:
        return _separated(series, found.changes[found.first], at)
    if not found.tested:
        return gettext("Whether grounding separates from accuracy is undefined"), gettext(
            "No sample is in the grounding population of the first step and of a later one."
        )
    if not found.within_reach:
        return gettext("Too few images to test whether grounding separates from accuracy"), gettext(
            "Even if every sample changed, the test could not be significant."
        )
    last = found.changes[-1]
    basis = gettext(
        "At the last step, the changes since the first step differ by %(apart)s points on %(n)s samples, p = %(p)s "
        "(Holm over %(tested)s steps)."
    ) % {
        "apart": percentage_points(last.apart), "n": decimal(last.n), "p": p_value(last.p_holm),
        "tested": decimal(found.tested),
    }  # fmt: skip
    if last.detectable is not None:
        basis += " " + gettext("A difference of %(points)s points would be detected with 80%% power in one test.") % {
            "points": decimal(100 * last.detectable, 1)
        }
    return gettext("No step at which grounding separates from accuracy was detected"), basis


def _separated(series: Series, change: StepChange, at: Point) -> tuple[str, str]:
    ahead = (change.apart or 0) > 0
    message = (
        gettext("Accuracy pulls away from grounding at step %(step)s")
        if ahead
        else gettext("Grounding pulls away from accuracy at step %(step)s")
    )
    basis = gettext(
        "Since step %(first)s, accuracy changed by %(accuracy)s points and grounding by %(grounding)s on the same "
        "%(n)s samples from %(clusters)s images: %(apart)s points apart (%(low)s to %(high)s), p = %(p)s (Holm over "
        "%(tested)s steps). It is the first step at which this is detected; it may have begun earlier."
    ) % {
        "first": decimal(compared(series)[0].step), "accuracy": percentage_points(change.accuracy),
        "grounding": percentage_points(change.grounding), "n": decimal(change.n),
        "clusters": decimal(change.clusters), "apart": percentage_points(change.apart),
        "low": percentage_points(change.low), "high": percentage_points(change.high), "p": p_value(change.p_holm),
        "tested": decimal(series.separation.tested if series.separation else 0),
    }  # fmt: skip
    return message % {"step": decimal(at.step)}, basis


def flips_of(series: Series) -> ShownFlips | None:
    """Return the flips between the two chosen checkpoints, each count with its list."""
    if series.flips is None or series.between is None:
        return None
    (before, after), found, slug = series.between, series.flips, series.lineage.benchmark.slug
    terms = flip_terms(before.run.pk, after.run.pk)
    base = reverse("evaluation:trajectories", args=[slug])
    narrowed = {"q": series.query} if series.query else {}
    signs = [sign for sign, _ in SIGNS.values()]

    def count(name: str, n: int) -> Count:
        return Count(n, f"{base}?{urlencode(terms[name] | narrowed, safe=',')}" if n else "")

    runs = urlencode([("run", before.run.pk), ("run", after.run.pk)])
    return ShownFlips(
        before=before,
        after=after,
        compare=f"{reverse('evaluation:compare', args=[slug])}?{runs}",
        **{name: count(name, getattr(found, name)) for name in _COUNTS},
        names=signs,
        quadrants=[
            (
                signs[row],
                [
                    Transition(count(f"{one} {other}", int(found.quadrants[row, column])), row == column)
                    for column, other in enumerate(Quadrant.NAMES)
                ],
            )
            for row, one in enumerate(Quadrant.NAMES)
        ],
    )


_COUNTS = ("answered", "correct", "incorrect", "looked", "grounded", "ungrounded")


def heads_of(metrics: Sequence[str]) -> list[dict[str, Any]]:
    """The heads of the table: the term, its label, and the unit."""
    unit = {"share": "%", "area": "\N{MULTIPLICATION SIGN}", "pp": gettext("pp")}
    return [
        {"term": term_of(metric), "label": label_of(metric), "unit": unit.get(unit_of(metric), "")}
        for metric in metrics
    ]
