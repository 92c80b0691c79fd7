"""What the leaderboard draws: cells and rows, with the markup of all that stands in a row more than once.

Here and not in templates: a template for each number takes most of the page's time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from django.template.loader import get_template
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from evaluation.common.figures import Axis
from evaluation.leaderboard.read.published import PublishedRow
from evaluation.leaderboard.read.rows import LeaderboardRow
from evaluation.metrics.families import ALL_PAIRS, family_words
from evaluation.metrics.ranking import TESTED
from evaluation.models import Standing
from webapp.common import svg
from webapp.common.formatting import NOT_AVAILABLE, decimal, p_value, percent, percentage_points
from webapp.common.markup import fast_format_html, fast_format_html_join

STAR = fast_format_html('<span class="ast" title="{}">*</span>', "p below .05, exact McNemar")
NOTHING = SafeString()


@dataclass(slots=True)
class Cell:
    """One number: its text, what it rests on (in the hover text), and the list it counts, where there is one.

    Not frozen: a board has a thousand of them, and a frozen one takes twice the time to make.
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
    """What stands in parentheses: what undecided answers leave open of it, or the n of a column that has its own. Where
    a range stands in place of the number, it is the text."""

    @property
    def whole(self) -> str:
        """The text with its range: 54.6 (54.6–57.9)."""
        return f"{self.text} ({self.range})" if self.range and self.range != self.text else self.text

    def markup(self) -> SafeString:
        """The text, a link where it counts trajectories, with the star of a small p and its range."""
        after = STAR if self.star else NOTHING
        if self.whole != self.text:
            after = fast_format_html('{} <span class="range xs">({})</span>', after, self.range)
        if self.href:
            return fast_format_html('<a href="{}" data-count="{}">{}</a>{}', self.href, self.count, self.text, after)
        if self.text == NOT_AVAILABLE:
            return fast_format_html('<span class="faint">{}</span>', self.text)
        return fast_format_html("{}{}", self.text, after)

    def with_spread(self) -> SafeString:
        """The number with its interval in digits under it."""
        if not self.spread:
            return self.markup()
        return fast_format_html('{}<span class="spread xs">{}</span>', self.markup(), self.spread)

    def with_bar(self, axis: Axis) -> SafeString:
        """The number with its interval under it."""
        if self.value is None:
            return self.markup()
        return fast_format_html(
            "{} {}", self.markup(), svg.interval(self.value, self.low, self.high, axis.low, axis.high)
        )


@dataclass(frozen=True)
class ShownRow:
    """One row as drawn. ``hidden_counts``: what must never be hidden, in words, each with its list. ``refer``: the
    address that makes it the reference. ``against``: how it differs from the reference, nothing on a slice. ``whole``:
    it is of the whole benchmark. ``drawn``: the columns with drawings that stand."""

    row: LeaderboardRow
    letter: str
    href: str
    refer: str
    standing: SafeString
    n: Cell
    accuracy: Cell
    accuracy_bar: SafeString
    against: SafeString
    grounded: Cell
    grounded_bar: SafeString
    quadrants: list[Cell]
    cells: list[Cell]
    hidden_counts: list[Cell]
    is_reference: bool = False
    intervals: bool = False
    whole: bool = True
    drawn: frozenset[str] = frozenset()

    @cached_property
    def markup(self) -> SafeString:
        """Template evaluation/leaderboard/_row.html; made once, as the row is kept."""
        return SafeString(get_template("evaluation/leaderboard/_row.html").render({"shown": self}))

    def table_cells(self) -> SafeString:
        """The plain columns; what a number rests on is in its hover text, its interval under it when asked for."""
        found = (
            (cell.classes, cell.title, cell.with_spread() if self.intervals else cell.markup()) for cell in self.cells
        )
        return fast_format_html_join("\n", '<td class="num {}" title="{}">{}</td>', found)

    def counts(self) -> SafeString:
        """How many trajectories, and under it what is never hidden."""
        hidden = ((cell.title, cell.markup()) for cell in self.hidden_counts)
        return fast_format_html(
            "{}{}", self.n.markup(), fast_format_html_join("", ' <span class="xs" title="{}">{}</span>', hidden)
        )

    def quadrant_bar(self) -> SafeString:
        return quadrant_bar(self.quadrants)


@dataclass(frozen=True)
class ShownPublished:
    row: PublishedRow
    accuracy: Cell
    grounded: Cell
    quadrants: list[Cell]
    cells: list[Cell] = field(default_factory=list)


def quadrant_bar(cells: Sequence[Cell]) -> SafeString:
    """The four quadrants as a bar, their percentages under it."""
    if cells[0].value is None and not cells[0].range:
        return fast_format_html('<span class="faint" title="{}">{}</span>', cells[0].title, NOT_AVAILABLE)
    ranges = any(cell.value is None for cell in cells)
    numbers = fast_format_html(
        '<span class="stack-numbers{}">{}</span>',
        " stack-numbers--ranges" if ranges else "",
        fast_format_html_join("", '<span title="{}">{}</span>', ((cell.title, cell.markup()) for cell in cells)),
    )
    if ranges:
        return numbers
    values = [cell.value for cell in cells]
    linked = all(cell.href or not cell.value for cell in cells)
    return fast_format_html(
        "{} {}",
        svg.linked_quadrants(values, [(cell.href, cell.title) for cell in cells]) if linked else svg.quadrants(values),
        numbers,
    )


def place_words(standing: Standing | None, ranked_by: str) -> SafeString:
    """``3 [2–6]``: a rank with its range; a rank that has none says so when it is pointed at; a dash without a rank."""
    if standing is None or not standing.rank:
        return fast_format_html('<span class="faint">{}</span>', "–")
    title = f"Rank by {ranked_by}, {_range_words(standing)}"
    if not standing.low:
        return fast_format_html('<b title="{}">{}</b>', title, standing.rank)
    spread = f"{standing.low}–{standing.high}"
    best = (
        fast_format_html('<span class="best xs">best {}%</span>', percent(standing.p_best, 0))
        if standing.p_best
        else NOTHING
    )
    return fast_format_html(
        '<span title="{}"><b>{}</b> <span class="err">[{}]</span></span>{}', title, standing.rank, spread, best
    )  # fmt: skip


def _range_words(standing: Standing) -> str:
    """What the range of a rank is made of."""
    if not standing.low:
        return "alone" if standing.detail.get("method") else "no rank range"
    if standing.detail.get("method") == TESTED:
        clusters = standing.detail["clusters"]
        few = ngettext(
            "%(count)s image cluster is too few for a bootstrap",
            "%(count)s image clusters are too few for a bootstrap",
            clusters,
        ) % {"count": decimal(clusters)}
        tested = family_words(ALL_PAIRS, standing.detail["pairs"])
        return f"from {standing.low} to {standing.high} by exact tests ({tested}); {few}"
    near = "" if standing.p_top3 is None else f", in the top 3 in {percent(standing.p_top3)}%"
    drawn = f"95% rank range {standing.low} to {standing.high}"
    return f"{drawn}; first in {percent(standing.p_best)}% of draws{near}"


TURN = fast_format_html(
    '<span class="flips xs turn" title="{}">undecided answers could change its sign</span>',
    "The difference would change sign if they were correct in one run and incorrect in the other",
)


def difference_markup(
    row: LeaderboardRow, flips: Iterable[Cell], compare: str, axis: Axis, *, with_family: bool = False
) -> SafeString:
    """The difference to the reference row, its interval, its p, the answers gained and lost. ``with_family``: also what
    p is adjusted over, where no head says it. ``compare``: the page of the two side by side, nothing for the reference
    itself."""
    if not compare:
        return fast_format_html('<span class="small muted">{}</span>', "reference")
    if row.against is None:
        return fast_format_html('<span class="faint">{}</span>', NOT_AVAILABLE)
    d = row.against
    turn = TURN if d.could_turn else NOTHING
    if row.provisional:
        words = f"{percentage_points(d.difference_low)} to {percentage_points(d.difference_high)}"
        title = "Provisional: the range of the difference that undecided answers allow, on the samples both answered"
        link = fast_format_html('<a class="versus" href="{}" rel="nofollow">compare</a>', compare)
        return fast_format_html(
            '<span title="{}">{} pp</span> <span class="flips xs">{}</span>{}', title, words, link, turn
        )
    ends = f"{percentage_points(d.low)} to {percentage_points(d.high)}"
    tests = f"95% interval {ends}, unadjusted; p (clustered) {p_value(d.p_cluster)}, Holm-adjusted {p_value(d.p_holm)} "
    tests += f"({d.family_words}); p (McNemar) {p_value(d.p_value)}"
    return fast_format_html(
        '<span title="{}">{}</span> <span class="flips xs">{} <span class="faint">of {}</span> {}</span>'
        '{}{}',
        tests,
        svg.difference(d.difference, d.low, d.high, d.p_holm, axis.low, axis.high, d.tie),
        fast_format_html_join(" ", "{}", ((cell.markup(),) for cell in flips)),
        decimal(d.n),
        fast_format_html('<a class="versus" href="{}" rel="nofollow">compare</a>', compare),
        fast_format_html('<span class="flips xs faint">{}</span>', d.family_words) if with_family else NOTHING,
        turn,
    )  # fmt: skip
