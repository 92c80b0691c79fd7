"""The content of the leaderboard: cells and rows as data; templates/evaluation/leaderboard/*.jinja contains
the markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from evaluation.common.design_effect import METHODS
from evaluation.common.figures import Axis
from evaluation.leaderboard.read.published import PublishedRow
from evaluation.leaderboard.read.rows import Difference, LeaderboardRow
from evaluation.metrics.families import ALL_PAIRS, family_words
from evaluation.metrics.ranking import TESTED
from evaluation.metrics.ranking import Standing as MacroStanding
from evaluation.models import Standing
from webapp.common.formatting import decimal, p_value, percent, percentage_points
from webapp.common.fragments import fragment

SHARES = Axis(0, 1)


@dataclass(slots=True)
class Cell:
    """One number: its text, its basis (in the tooltip), and a link to the list that it counts, if there is one.

    Not frozen: a board has a thousand of them, and a frozen one takes twice the time to create.
    """

    text: str
    title: str = ""
    href: str = ""
    count: int | None = None
    classes: str = ""
    star: bool = False
    value: float | None = None
    low: float | None = None
    high: float | None = None
    method: str = ""
    spread: str = ""
    range: str = ""
    """The text in parentheses: the range that undecided answers allow, or the n of a column with its own n.

    If a range replaces the number, it equals the text."""

    @property
    def whole(self) -> str:
        """The text with its range: 54.6 (54.6–57.9)."""
        return f"{self.text} ({self.range})" if self.range and self.range != self.text else self.text


@dataclass(frozen=True, slots=True)
class Quadrants:
    """The four quadrants of a run, as a bar with percentages under it."""

    cells: Sequence[Cell]

    @property
    def undefined(self) -> bool:
        return self.cells[0].value is None and not self.cells[0].range

    @property
    def ranges(self) -> bool:
        """Whether a range replaces a number, so that there is no bar."""
        return any(cell.value is None for cell in self.cells)

    @property
    def values(self) -> list[float | None]:
        return [cell.value for cell in self.cells]

    @property
    def links(self) -> list[tuple[str, str]]:
        """Address and words of each part; empty where a part leads nowhere."""
        linked = all(cell.href or not cell.value for cell in self.cells)
        return [(cell.href, cell.title) for cell in self.cells] if linked else []


class Place(NamedTuple):
    """``3 [2–6]``: a rank with its range and the percentage of draws in which it is first, "" without. ``title``: what
    the range is made of."""

    rank: int | None = None
    title: str = ""
    range: str = ""
    best: str = ""


@dataclass(frozen=True, slots=True)
class ShownDifference:
    """The difference of a row from the reference. ``compare``: the comparison page of both, empty for the reference
    itself. ``range``: of a provisional one, instead of the number. ``title`` is empty without a comparison. ``family``:
    the comparisons that p is adjusted over, if no heading names it.
    """

    axis: Axis
    compare: str = ""
    found: Difference | None = None
    flips: Sequence[Cell] = ()
    title: str = ""
    range: str = ""
    family: str = ""


@dataclass(frozen=True)
class ShownRow:
    """One row of the leaderboard.

    ``hidden_counts``: the counts that are never hidden, as text, each with its list. ``refer``: the address that makes
    the row the reference. ``axis``: of accuracy. ``against``: None on a slice. ``whole``: the row covers the whole
    benchmark. ``drawn``: the visible columns with drawings."""

    row: LeaderboardRow
    letter: str
    href: str
    refer: str
    place: Place
    n: Cell
    accuracy: Cell
    axis: Axis
    against: ShownDifference | None
    grounded: Cell
    quadrants: list[Cell]
    cells: list[Cell]
    hidden_counts: list[Cell]
    is_reference: bool = False
    intervals: bool = False
    whole: bool = True
    drawn: frozenset[str] = frozenset()

    @property
    def people_words(self) -> str:
        """Return the number of people, their familiarity, and the range over people."""
        accuracy = self.row.metrics.get("accuracy")
        detail = (accuracy.detail if accuracy else None) or {}
        least = {"least": self.row.familiarity.rstrip("+")}
        words = [gettext("familiarity ≥ %(least)s") % least] if self.row.familiarity else []
        if k := detail.get("people"):
            words.append(f"k = {k}")
            if k > 1 and detail.get("person_low") is not None:
                words.append(f"{percent(detail['person_low'])}–{percent(detail['person_high'])}")
        return ", ".join(words)

    @property
    def threshold(self) -> str:
        """The score that counts, of a detector."""
        return f"{self.row.run.detector_threshold:g}" if self.row.detector else ""

    @cached_property
    def markup(self) -> SafeString:
        """Template evaluation/leaderboard/_row.jinja; made once, as the row is kept."""
        return fragment("evaluation/leaderboard/_row.jinja", {"shown": self, "shares": SHARES})

    @property
    def four(self) -> Quadrants:
        return Quadrants(self.quadrants)


@dataclass(frozen=True)
class ShownPublished:
    row: PublishedRow
    accuracy: Cell
    grounded: Cell
    quadrants: list[Cell]
    cells: list[Cell] = field(default_factory=list)


def place_of(standing: Standing | None, ranked_by: str) -> Place:
    """Return a rank; without a range, its tooltip gives the reason. A dash without a rank."""
    if standing is None or not standing.rank:
        return Place()
    title = gettext("Rank by %(metric)s, %(range)s") % {"metric": ranked_by, "range": _range_words(standing)}
    if not standing.low:
        return Place(standing.rank, title)
    best = percent(standing.p_best, 0) if standing.p_best else ""
    return Place(standing.rank, title, f"{standing.low}–{standing.high}", best)


def _range_words(standing: Standing) -> str:
    """Return the basis of the range of a rank."""
    if not standing.low:
        return gettext("alone") if standing.detail.get("method") else gettext("no rank range")
    if standing.detail.get("method") == TESTED:
        clusters = standing.detail["clusters"]
        few = ngettext(
            "%(count)s image cluster is too few for a bootstrap",
            "%(count)s image clusters are too few for a bootstrap",
            clusters,
        ) % {"count": decimal(clusters)}
        tested = family_words(ALL_PAIRS, standing.detail["pairs"])
        message = gettext("from %(low)s to %(high)s by exact tests (%(tested)s); %(few)s")
        return message % {"low": standing.low, "high": standing.high, "tested": tested, "few": few}
    return drawn_words(standing)


def drawn_words(standing: Standing | MacroStanding) -> str:
    """The range of a rank from draws, and how often the run is first and in the top 3."""
    message = (
        gettext("95%% rank range %(low)s to %(high)s; first in %(first)s%% of draws")
        if standing.p_top3 is None
        else gettext("95%% rank range %(low)s to %(high)s; first in %(first)s%% of draws, in the top 3 in %(top3)s%%")
    )
    shares = {"first": percent(standing.p_best), "top3": percent(standing.p_top3)}
    return message % {"low": standing.low, "high": standing.high, **shares}


def _from_to(low: float | None, high: float | None) -> str:
    return gettext("%(low)s to %(high)s") % {"low": percentage_points(low), "high": percentage_points(high)}


def people_difference(row: LeaderboardRow, reference: str, compare: str, axis: Axis) -> ShownDifference:
    """The accuracy of people minus that of the reference run, weighed by stratum on the samples both answered. Nothing
    is tested: people give several answers on a sample."""
    accuracy = row.metrics.get("accuracy")
    found = ((accuracy.detail or {}).get("against", {}) if accuracy else {}).get(reference)
    if found is None or not compare:
        return ShownDifference(axis, compare or "-")
    ends = "" if found["low"] is None else f" [{percentage_points(found['low'])} to {percentage_points(found['high'])}]"
    method = str(METHODS.get(found["method"], "no interval"))
    title = (
        f"People minus the reference, weighed by stratum, on the {decimal(found['n'])} samples both answered; {method}"
    )
    return ShownDifference(axis, compare, None, (), title, f"{percentage_points(found['difference'])}{ends}")


def difference_of(
    row: LeaderboardRow, flips: Sequence[Cell], compare: str, axis: Axis, *, with_family: bool = False
) -> ShownDifference:
    """The difference to the reference row, its interval, its p, the answers gained and lost."""
    d = row.against
    if not compare or d is None:
        return ShownDifference(axis, compare)
    if row.provisional:
        words = _from_to(d.difference_low, d.difference_high)
        title = gettext(
            "Provisional: the range of the difference that undecided answers allow, on the samples both answered"
        )
        return ShownDifference(axis, compare, d, flips, title, words)
    tests = gettext(
        "95%% interval %(interval)s, unadjusted; p (clustered) %(p_cluster)s, Holm-adjusted %(p_holm)s (%(family)s); "
        "p (McNemar) %(p_value)s"
    ) % {
        "interval": _from_to(d.low, d.high), "p_cluster": p_value(d.p_cluster), "p_holm": p_value(d.p_holm),
        "family": d.family_words, "p_value": p_value(d.p_value),
    }  # fmt: skip
    return ShownDifference(axis, compare, d, flips, tests, family=d.family_words if with_family else "")
