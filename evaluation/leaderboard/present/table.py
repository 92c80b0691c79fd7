"""The rows of the leaderboard as the page draws them: texts, links and places on an axis. No number is made here."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from django.utils.translation import get_language, gettext

from evaluation.common.board_metrics import BoardMetric
from evaluation.common.design_effect import design_words
from evaluation.common.figures import Axis, axis_of, written
from evaluation.common.links import numerator_terms
from evaluation.leaderboard.present.cells import (
    Cell,
    ShownDifference,
    ShownPublished,
    ShownRow,
    difference_of,
    people_difference,
    place_of,
)
from evaluation.leaderboard.present.columns import ACCURACY, FLIPS, GROUNDED, IN_FILE, QUADRANTS, UNREAD, Column
from evaluation.leaderboard.present.links import Addresses
from evaluation.leaderboard.read.published import PublishedRow
from evaluation.leaderboard.read.rows import PLACE, Difference, Leaderboard, LeaderboardRow
from evaluation.metrics.catalogue import METRICS, POINTS
from evaluation.metrics.published import PublishedValue
from evaluation.metrics.selection import BOUNDED
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.slices import COUNTED_BY
from evaluation.models import Run
from webapp.common.formatting import NOT_AVAILABLE, decimal, p_value, percent, points_between, range_of
from webapp.common.lru_cache import LRUCache

SIGNIFICANT = 0.05
KEPT_WORDS = 20_000
"""Numbers, of a few boards of fifty runs."""
ROWS: LRUCache[ShownRow] = LRUCache(2_000)
"""Of some twenty boards of fifty runs, about 10 kB each."""
ANSWERED = frozenset(BOUNDED) - {*QUADRANTS}
"""Metrics that show their range next to the value. Quadrants show it in their hover text."""
FOUR = [Column(metric) for metric in QUADRANTS]


def accuracy_axis(board: Leaderboard) -> Axis:
    metrics = [row.metrics.get("accuracy") for row in board.rows()]
    return axis_of(end for m in metrics if m for end in (m.value, m.ci_low, m.ci_high))


def difference_axis(board: Leaderboard) -> Axis:
    pairs = [row.against for row in board.rows() if row.against]
    return axis_of([0.0, *(end for d in pairs for end in (d.difference, d.low, d.high))])


@dataclass(frozen=True)
class Table:
    """The data common to all rows of a leaderboard.

    ``refer``: the URL of the leaderboard with another reference, without its run; "" if no row can be compared.
    ``intervals``: whether intervals are shown under the numbers of the plain columns.
    """

    board: Leaderboard
    addresses: Addresses
    columns: Sequence[tuple[Column, str]]
    axis: Axis
    difference_axis: Axis
    refer: str
    intervals: bool = False
    drawn: frozenset[str] = frozenset()

    def rows(self, rows: Sequence[LeaderboardRow]) -> list[ShownRow]:
        shared = self._content()
        return [self._kept(row, row.run.letter, shared) for row in rows]

    def _kept(self, row: LeaderboardRow, letter: str, shared: Hashable) -> ShownRow:
        return ROWS.get((shared, letter, *_content(row)), lambda: self._shown(row, letter))

    def _content(self) -> Hashable:
        """Return the content of a row that does not come from the row itself."""
        board, columns = self.board, tuple((column.metric, classes) for column, classes in self.columns)
        return (
            self.addresses.content, columns, self.axis, self.difference_axis, self.refer, self.intervals,
            self.drawn, board.whole, board.ranked_by, board.reference and board.reference.run.pk, get_language(),
        )  # fmt: skip

    def _shown(self, row: LeaderboardRow, letter: str) -> ShownRow:
        run, board, addresses = row.run.pk, self.board, self.addresses
        is_reference = board.reference is not None and board.reference.run.pk == run
        accuracy, grounded = metric_cell(row, ACCURACY, addresses), metric_cell(row, GROUNDED, addresses)
        turned = flips(row, board.reference, row.against, addresses)
        return ShownRow(
            row=row,
            letter=letter,
            href=addresses.run(run),
            refer=f"{self.refer}{run}" if self.refer and not (is_reference or row.detector or row.by_people) else "",
            place=place_of(row.standing, gettext(METRICS[board.ranked_by].label)),
            n=_people_n(row) if row.by_people else _count(row, "trajectories", {"scored": "yes"}, addresses),
            accuracy=accuracy,
            axis=self.axis,
            against=self._against(row, turned) if board.whole else None,
            grounded=grounded,
            quadrants=[metric_cell(row, column, addresses) for column in FOUR],
            cells=[metric_cell(row, column, addresses, classes) for column, classes in self.columns],
            hidden_counts=hidden_counts(row, addresses),
            is_reference=is_reference,
            intervals=self.intervals,
            whole=board.whole,
            drawn=self.drawn,
        )

    def _against(self, row: LeaderboardRow, turned: list[Cell]) -> ShownDifference:
        if row.by_people:
            reference = "" if row.familiarity or self.board.reference is None else str(self.board.reference.run.pk)
            return people_difference(row, reference, self._versus(row), self.difference_axis)
        return difference_of(row, turned, self._versus(row), self.difference_axis)

    def _versus(self, row: LeaderboardRow) -> str:
        """The page of this row and the reference side by side; nothing for the reference itself."""
        reference = self.board.reference
        if reference is None or reference.run.pk == row.run.pk or row.detector:
            return ""
        return self.addresses.compare(reference.run.pk, row.run.pk)


def _content(row: LeaderboardRow) -> tuple[Hashable, ...]:
    """Return the content of a row that comes from the row itself."""
    run, scoring, standing = row.run, row.scoring, row.standing
    ranked = standing and (*(getattr(standing, name) for name in PLACE), str(standing.detail))
    # A detail is an object of JSON, which no key can be.
    metrics = (one if one.detail is None else (*one[:-1], str(one.detail)) for one in row.metrics.values())
    scored = scoring and (scoring.pk, scoring.computed_at)
    who = (run.pk, run.model.name, run.model.baseline, run.setting, run.detector_threshold, row.familiarity)
    return (*who, scored, row.stale, ranked, row.against, *metrics)


def hidden_counts(row: LeaderboardRow, addresses: Addresses) -> list[Cell]:
    """``43 missing``, ``2 failed`` ...: only those that are not 0."""
    counts, settings = row.counts, row.settings
    if row.by_people:
        of_people = {
            "missing": (gettext("missing"), gettext("drawn samples without an answer")),
            "missing_answer": (gettext("unanswered"), gettext("no answer was given. They count as incorrect")),
            "undecided": (gettext("undecided"), gettext("answers that no rule can decide")),
        }
        shown = [(counts[name], *said) for name, said in of_people.items() if counts.get(name) and not row.familiarity]
        return [Cell(f"{decimal(n)} {word}", meaning) for n, word, meaning in shown]
    found: list[Cell] = []
    if counts.get("missing"):
        n = counts["missing"]
        found.append(
            Cell(
                gettext("%(count)s missing") % {"count": decimal(n)},
                gettext("samples without a trajectory"),
                addresses.missing(row.run.pk),
                n,
            )
        )
    for name, terms, words, meaning in (
        ("failed", {"failed": "yes", "scored": "yes"}, gettext("failed"),
         gettext("trajectories that ended in an error")),
        ("missing_answer", {"unanswered": "yes", "scored": "yes"}, gettext("unanswered"),
         gettext("no answer was given. They count as incorrect")),
        *_undecided(counts, settings),
    ):  # fmt: skip
        if counts.get(name):
            cell = _count(row, name, terms, addresses)
            found.append(Cell(f"{cell.text} {words}", meaning, cell.href, cell.count))
    return found


def _undecided(
    counts: Mapping[str, Any], settings: MetricSettings
) -> Iterator[tuple[str, Mapping[str, str], str, str]]:
    """Undecided answers and unread ones: the name of the count, the terms of its list, its label and its meaning.

    Unread answers are undecided, unless the settings count them as incorrect."""
    among = settings.unread_answer == "undecided"
    excluded = settings.undecided_answer == "exclude"
    if among and counts.get("unread"):
        said = (
            gettext("no rule can decide the answer, or it is unread. They are excluded")
            if excluded
            else gettext("no rule can decide the answer, or it is unread. They count as incorrect")
        )
    elif excluded:
        said = gettext("no rule can decide the answer. They are excluded")
    else:
        said = gettext("no rule can decide the answer. They count as incorrect")
    yield "undecided", {"undecided": "yes"}, gettext("undecided"), said
    if among:
        words, said = gettext("of them unread"), gettext("no option could be read from the answer. They are undecided")
    else:
        words, said = gettext("unread"), gettext("no option could be read from the answer. They count as incorrect")
    yield "unread", {"unread": "yes"}, words, said


def _people_n(row: LeaderboardRow) -> Cell:
    """Return the number of samples behind the estimate."""
    if COUNTED_BY not in row.metrics:
        return Cell(NOT_AVAILABLE)
    answers, people, n = row.counts["trajectories"], row.counts["people"], row.metrics[COUNTED_BY].n
    return Cell(
        decimal(n),
        gettext("%(answers)s answers of %(people)s people on %(n)s samples")
        % {"answers": decimal(answers), "people": decimal(people), "n": decimal(n)},
    )


def _count(row: LeaderboardRow, name: str, terms: Mapping[str, str], addresses: Addresses) -> Cell:
    n = row.counts.get(name)
    if n is None:
        return Cell(NOT_AVAILABLE)
    return Cell(decimal(n), href=addresses.trajectories(row.run.pk, **terms) if n else "", count=n)


def flips(
    row: LeaderboardRow, reference: LeaderboardRow | None, against: Difference | None, addresses: Addresses
) -> list[Cell]:
    """The numbers of samples that only this row answers correctly, and that only the reference row does."""
    if against is None or reference is None:
        return []
    run, other = row.run.pk, reference.run.pk
    gained, lost = against.row_only, against.reference_only
    return [
        Cell(f"+{gained}", gettext("correct here, incorrect in the reference"),
             addresses.trajectories(run, correct="yes", wrong_in=other), gained),
        Cell(f"\N{MINUS SIGN}{lost}", gettext("incorrect here, correct in the reference"),
             addresses.trajectories(other, correct="yes", wrong_in=run), lost),
    ]  # fmt: skip


@dataclass(frozen=True)
class ShownAblation:
    """A model under several settings: one of them, and each other with its difference on the one axis."""

    base: LeaderboardRow
    others: list[tuple[LeaderboardRow, ShownDifference]]


def shown_ablations(board: Leaderboard, addresses: Addresses) -> list[ShownAblation]:
    pairs = [against for one in board.ablations for _, against in one.others]
    axis = axis_of([0.0, *(end for d in pairs for end in (d.difference, d.low, d.high))])
    return [
        ShownAblation(
            one.base,
            [
                (other, difference_of(replace(other, against=against), flips(other, one.base, against, addresses),
                                      addresses.compare(one.base.run.pk, other.run.pk), axis, with_family=True))
                for other, against in one.others
            ],
        )
        for one in board.ablations
    ]  # fmt: skip


class Measured(Protocol):
    """A run with its metrics."""

    @property
    def run(self) -> Run: ...
    @property
    def metrics(self) -> Mapping[str, BoardMetric]: ...


def metric_cell(row: Measured, column: Column, addresses: Addresses, classes: str = "") -> Cell:
    """Return the value of a run in a column, with its basis, and a link if it counts trajectories."""
    metric = row.metrics.get(column.metric)
    if metric is None or metric.value is None:
        why = (
            gettext("Undefined: a detector only lists the tools in an image.")
            if row.run.by_detector
            else gettext("Undefined: there is nothing to count.")
        )
        return Cell(NOT_AVAILABLE, why, classes=classes)
    terms = {} if row.run.by_people else numerator_terms(column.metric, row.run.scoring.settings)
    count = round(metric.numerator) if terms and metric.numerator is not None else None
    detail = metric.detail or {}
    bare, lost, gained = metric._replace(detail=None), detail.get("lost"), detail.get("gained")
    words = _words(column.unit, metric.value, bool(terms), bare, lost, gained, get_language())
    spread = left_open(column.unit, metric)
    if spread and row.run.scoring.provisional:
        return Cell(spread, gettext("Provisional; %(basis)s") % {"basis": words.basis}, classes=classes, range=spread)
    return Cell(
        words.text,
        words.basis,
        addresses.trajectories(row.run.pk, **terms) if count else "",
        count,
        classes,
        star=column.metric in FLIPS and metric.p_value is not None and metric.p_value < SIGNIFICANT,
        value=metric.value,
        low=metric.ci_low,
        high=metric.ci_high,
        method=metric.ci_method,
        spread=words.spread,
        range=_beside(column, metric, spread),
    )


def left_open(unit: str, metric: BoardMetric) -> str:
    """Return the range of a metric that undecided answers allow, in its unit; "" without one."""
    return points_between(metric.low, metric.high) if unit == POINTS else range_of(metric.low, metric.high)


def _beside(column: Column, metric: BoardMetric, spread: str) -> str:
    """The text in parentheses after the number: its range, or the counts of a column with its own counts."""
    if column == UNREAD:
        return gettext("%(count)s of %(total)s") % {"count": decimal(metric.numerator), "total": decimal(metric.n)}
    if column == IN_FILE:
        return gettext("n = %(total)s") % {"total": decimal(metric.n)}
    return spread if column.metric in ANSWERED else ""


def interval_words(unit: str, low: float | None, high: float | None) -> str:
    """``41.2–50.3``; "" without an interval."""
    if low is None or high is None:
        return ""
    return gettext("%(low)s to %(high)s") % {"low": written(unit, low), "high": written(unit, high)}


class Words(NamedTuple):
    """A number, its interval, and its basis: counts, interval, method, test."""

    text: str
    spread: str
    basis: str


@lru_cache(maxsize=KEPT_WORDS)
def _words(
    unit: str,
    value: float,
    counted: bool,
    metric: BoardMetric,
    lost: int | None,
    gained: int | None,
    language: str | None,
) -> Words:
    """``metric``: without its detail. Kept in each language, as every visitor of a board reads the same."""
    spread = interval_words(unit, metric.ci_low, metric.ci_high)
    of = decimal(metric.n)
    with_count = counted and metric.numerator is not None
    message = gettext("%(count)s of %(total)s") if with_count else gettext("n = %(total)s")
    parts = [message % {"count": decimal(metric.numerator) if with_count else "", "total": of}]
    if ends := left_open(unit, metric):
        parts.append(gettext("%(range)s if undecided answers are incorrect or correct") % {"range": ends})
    if spread:
        design = design_words(metric.n, metric.n_eff)
        how = f"{metric.ci_method}{design and f', {design}'}"
        parts.append(gettext("95%% interval %(interval)s (%(method)s)") % {"interval": spread, "method": how})
    if metric.metric in FLIPS:
        flips = {"lost": lost, "gained": gained}
        parts.append(gettext("%(lost)s became incorrect, %(gained)s became correct") % flips)
        parts.append(gettext("exact McNemar p %(p)s") % {"p": p_value(metric.p_value)})
    return Words(written(unit, value), spread, "; ".join(parts))


def shown_published(rows: Iterable[PublishedRow], columns: Sequence[tuple[Column, str]]) -> list[ShownPublished]:
    return [
        ShownPublished(
            row,
            _printed(row, ACCURACY if "accuracy" in row.values else Column("pass_rate")),
            _printed(row, GROUNDED),
            [_printed(row, column) for column in FOUR],
            [_printed(row, column, classes) for column, classes in columns],
        )
        for row in rows
    ]


def _printed(row: PublishedRow, column: Column, classes: str = "") -> Cell:
    """A value of a paper with the digits it was printed with."""
    value = row.values.get(column.metric)
    if value is None:
        return Cell("", classes=classes)
    whole = "integer" in value.unit and not value.pooled
    text = percent(value.value, 0) if column.unit == "share" and whole else written(column.unit, value.value)
    star = value.p_value is not None and value.p_value < SIGNIFICANT
    return Cell(text, _source(value), classes=classes, value=value.value, star=star)


def _source(value: PublishedValue) -> str:
    """The table of the paper, with the number of samples and whether rows were pooled: "Table 2, n = 200, pooled"."""
    if value.n:
        message = (
            gettext("Table %(table)s, n = %(n)s, pooled") if value.pooled else gettext("Table %(table)s, n = %(n)s")
        )
    else:
        message = gettext("Table %(table)s, pooled") if value.pooled else gettext("Table %(table)s")
    return message % {"table": value.table, "n": value.n}
