"""The analysis of toolchains for its page. No number is computed here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop, ngettext

from evaluation.common.links import Count
from evaluation.metrics.chain_lengths import LONGEST, Group, Lengths, length_table
from evaluation.metrics.chains import Choice, Pair, Use, confusion, transitions, uses
from evaluation.models import Metric, Run
from evaluation.toolchains.present.links import ChainLinks
from evaluation.toolchains.read.analysis import ChainAnalysis
from evaluation.toolchains.read.tables import length_groups, rate_groups, tool_choices
from webapp.common.drawing import as_percent, format_number, scale
from webapp.common.formatting import decimal
from webapp.common.markup import fast_format_html

MOST_TOOLS = 16
"""The maximum number of tools with a row or a column in a matrix; the export has all."""
MOST_ROWS = 40
"""The maximum number of tools in the table of choices."""
MOST_GROUPS = 12
"""Larger numbers share the last row of a table of pass rates."""
STEPS = 10
"""The number of color steps of a cell."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a matrix: share of its row, the trajectories, and its description. ``own``: on the diagonal."""

    share: float | None
    count: Count
    words: str
    own: bool = False

    @property
    def ink(self) -> int:
        return round(STEPS * (self.share or 0.0))


@dataclass(frozen=True, slots=True)
class Matrix:
    """``heads``: of the columns; rows of a name with its cells; ``more``: number of tools without a row or column."""

    corner: str
    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    more: int = 0


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run. ``x``, ``y``: efficiency and pass rate in the chart, "" without them; ``aside``: horizontal offset of
    its letter, which avoids letters of runs at the same position.
    """

    letter: str
    run: Run
    n: Count
    right: Count
    counted: Count
    metrics: Mapping[str, Metric]
    x: str = ""
    y: str = ""
    aside: int = 6

    @property
    def missing(self) -> int:
        """The samples without a trajectory that the pass rate counts as incorrect, by its settings."""
        rate = self.metrics.get("pass_rate")
        return max(rate.n - self.counted.n, 0) if rate else 0


@dataclass(frozen=True, slots=True)
class ToolLine:
    choice: Choice
    right: Count
    needless: Count
    missed: Count


@dataclass(frozen=True, slots=True)
class LengthLine:
    lengths: Lengths
    count: Count
    drawn: SafeString


@dataclass(frozen=True, slots=True)
class RateLine:
    group: Group
    label: str
    count: Count
    right: Count
    counted: Count


@dataclass(frozen=True, slots=True)
class Shown:
    """All parts of the page; those that need references are empty without any. ``more_tools``: without a row."""

    runs: Sequence[RunLine]
    total: Count
    referenced: Count
    tools: Sequence[ToolLine] = ()
    more_tools: int = 0
    confusion: Matrix | None = None
    transitions: Matrix | None = None
    shares: Matrix | None = None
    lengths: Matrix | None = None
    by_facet: Sequence[LengthLine] = ()
    rates: Sequence[tuple[str, str, Sequence[RateLine]]] = field(default=())

    @property
    def missing(self) -> int:
        return sum(line.missing for line in self.runs)


def shown(found: ChainAnalysis, links: ChainLinks, letters: Mapping[int, str]) -> Shown:
    n = len(found.chains)
    known = found.referenced
    tools = tool_choices(found) if known else []
    return Shown(
        runs=_spread([_run_line(found, at, links, letters) for at in range(len(found.runs))]),
        total=links.count(n),
        referenced=links.count(known, reference="yes"),
        tools=[_tool_line(row, links) for row in tools[:MOST_ROWS]],
        more_tools=max(len(tools) - MOST_ROWS, 0),
        confusion=confusion_matrix(confusion(found.chains), links) if known else None,
        transitions=transition_matrix(transitions(found.chains), links) if len(found.chains.tool) else None,
        shares=share_matrix(found, links) if len(found.chains.tool) else None,
        lengths=length_matrix(found, links) if known else None,
        by_facet=length_lines(found, links) if known else (),
        rates=[(gettext(title), gettext(head), rate_lines(found, at, links)) for at, (title, head) in RATES.items()],
    )


RATES = {
    "calls": (gettext_noop("Pass rate by calls"), gettext_noop("Calls")),
    "tools": (gettext_noop("Pass rate by distinct tools"), gettext_noop("Tools")),
    "reference": (gettext_noop("Pass rate by length of the reference"), gettext_noop("Reference calls")),
}
"""The groupings of pass rates: a column of the analysis, and a field of queries."""
_FIELDS = {"calls": "calls", "tools": "tools", "reference": "reference_calls"}


def rate_lines(found: ChainAnalysis, name: str, links: ChainLinks) -> list[RateLine]:
    lines = []
    for group in rate_groups(found, name, MOST_GROUPS):
        label = f"{group.value}+" if group.value == MOST_GROUPS else str(group.value)
        terms: dict[str, Any] = {_FIELDS[name]: label}
        counts = links.count(group.n, **terms), links.count(group.right, **terms, correct="yes")
        lines.append(RateLine(group, label, *counts, links.count(group.counted, **terms, counted="yes")))
    return lines


def _tool_line(row: Choice, links: ChainLinks) -> ToolLine:
    return ToolLine(
        row,
        links.right_choice(row.tool, row.tp),
        links.needless(row.tool, row.fp),
        links.missed(row.tool, row.fn),
    )


def length_lines(found: ChainAnalysis, links: ChainLinks) -> list[LengthLine]:
    groups = [group for group in length_groups(found) if group.n]
    means = [value for row in groups for one in (row.reference, row.calls, row.effective) if (value := one.value)]
    most = max([1.0, *means])
    lines = []
    for group in groups:
        terms: dict[str, Any] = {f"facet.{found.by}": group.name} if group.name else {}
        lines.append(LengthLine(group, links.count(group.n, reference="yes", **terms), _drawn(group, most)))
    return lines


def _drawn(group: Lengths, most: float) -> SafeString:
    """Draw three lengths on one axis: the reference as a gold line, calls as a point, effective calls as a ring."""
    at = [as_percent(scale(one.value or 0.0, 0, most)) for one in (group.reference, group.calls, group.effective)]
    lengths = {"reference": group.reference.value, "calls": group.calls.value, "effective": group.effective.value}
    words = gettext("reference %(reference)s, calls %(calls)s, effective %(effective)s, on an axis from 0 to %(most)s")
    words %= {name: decimal(value, 1) for name, value in {**lengths, "most": most}.items()}
    return fast_format_html(
        '<svg class="ci lengths-line" role="img" aria-label="{}"><rect class="ci__track"/>'
        '<line class="lengths-line__gold" x1="{}" x2="{}" y1="1" y2="15"/>'
        '<circle class="lengths-line__calls" cx="{}" cy="8" r="4"/>'
        '<circle class="lengths-line__effective" cx="{}" cy="8" r="4"/></svg>',
        words, at[0], at[0], at[1], at[2],
    )  # fmt: skip


def length_matrix(found: ChainAnalysis, links: ChainLinks) -> Matrix:
    table = length_table(found.reference, found.calls)
    columns = [calls for calls in range(LONGEST + 1) if table[:, calls].any()]
    rows = []
    for length in [row for row in range(LONGEST + 1) if table[row].any()]:
        whole = int(table[length].sum())
        cells = [
            Cell(
                int(table[length, calls]) / whole,
                links.count(int(table[length, calls]), reference_calls=_length(length), calls=_length(calls)),
                gettext("Calls: %(reference)s in the reference, %(calls)s attempted")
                % {"reference": _length(length), "calls": _length(calls)},
                length == calls,
            )
            for calls in columns
        ]
        rows.append((_length(length), cells))
    return Matrix(gettext("Reference"), [_length(calls) for calls in columns], rows)


def _length(value: int) -> str:
    return f"{value}+" if value == LONGEST else str(value)


def confusion_matrix(pairs: Sequence[Pair], links: ChainLinks) -> Matrix:
    """Return rows by tool of the reference, with added calls last, and columns by called tool, with missing
    calls last.
    """
    ends = (gettext("added"), gettext("not called"))
    return _matrix(pairs, links.aligned, gettext("Reference"), ends, ends_first=False)


def transition_matrix(pairs: Sequence[Pair], links: ChainLinks) -> Matrix:
    """Return rows by tool, with the beginning first, and columns by the next tool, with the end last."""
    return _matrix(pairs, links.followed, gettext("After"), (gettext("beginning"), gettext("end")), ends_first=True)


def _matrix(
    pairs: Sequence[Pair], link: Callable[[str, str, int], Count], corner: str, ends: tuple[str, str], ends_first: bool
) -> Matrix:
    at = {(pair.first, pair.second): pair for pair in pairs}
    weight: Counter[str] = Counter()
    for pair in pairs:
        for name in {pair.first, pair.second} - {""}:
            weight[name] += pair.times
    ranked = sorted(weight, key=lambda name: (-weight[name], name))
    names = ranked[:MOST_TOOLS]
    sums: Counter[str] = Counter()
    for pair in pairs:
        sums[pair.first] += pair.times
    order = ["", *names] if ends_first else [*names, ""]
    rows = [
        (first or ends[0], [_pair_cell(at.get((first, second)), sums[first], link, ends) for second in [*names, ""]])
        for first in order
        if sums[first]
    ]
    return Matrix(corner, [*names, ends[1]], rows, len(ranked) - len(names))


def _pair_cell(pair: Pair | None, whole: int, link: Callable[[str, str, int], Count], ends: tuple[str, str]) -> Cell:
    if pair is None:
        return Cell(0.0, Count(0), "")
    words = f"{pair.first or ends[0]}, {pair.second or ends[1]}: {_often(pair.times, pair.trajectories)}"
    own = bool(pair.first) and pair.first == pair.second
    return Cell(pair.times / whole, link(pair.first, pair.second, pair.trajectories), words, own)


def _often(times: int, trajectories: int) -> str:
    message = ngettext("%(times)s× in %(count)s trajectory", "%(times)s× in %(count)s trajectories", trajectories)
    return message % {"times": times, "count": trajectories}


def share_matrix(found: ChainAnalysis, links: ChainLinks) -> Matrix:
    """Return rows by run, and columns by tool, sorted by the number of calls in all runs."""
    ranked = [row.tool for row in uses(found.chains)]
    names = ranked[:MOST_TOOLS]
    rows = []
    for place_, run in enumerate(found.runs):
        used = {row.tool: row for row in uses(found.of_run(place_))}
        rows.append((str(run), [_share(used.get(tool), tool, run, links) for tool in names]))
    return Matrix(gettext("Run"), names, rows, len(ranked) - len(names))


def _share(use: Use | None, tool: str, run: Run, links: ChainLinks) -> Cell:
    if use is None:
        return Cell(0.0, Count(0), "")
    words = f"{tool}, {run}: {_often(use.calls, use.trajectories)}"
    return Cell(use.share, links.calling(tool, use.trajectories, run), words)


def _run_line(found: ChainAnalysis, at: int, links: ChainLinks, letters: Mapping[int, str]) -> RunLine:
    run = found.runs[at]
    inside = found.run == at
    metrics = found.metrics.get(run.pk, {})
    efficiency, rate = (metrics[name].value if name in metrics else None for name in ("tool_efficiency", "pass_rate"))
    drawn = efficiency is not None and rate is not None
    return RunLine(
        letter=letters[run.pk],
        run=run,
        n=links.count(int(inside.sum()), run=run),
        right=links.count(int(found.right[inside].sum()), run=run, correct="yes"),
        counted=links.count(int(found.counted[inside].sum()), run=run, counted="yes"),
        metrics=metrics,
        x=format_number(across(efficiency or 0.0)) if drawn else "",
        y=format_number(down(rate or 0.0)) if drawn else "",
    )


def _spread(lines: Sequence[RunLine]) -> list[RunLine]:
    drawn: list[RunLine] = []
    for line in lines:
        near = sum(_near(line, other) for other in drawn) if line.x else 0
        drawn.append(replace(line, aside=line.aside + 9 * near))
    return drawn


def _near(one: RunLine, other: RunLine) -> bool:
    return bool(other.x) and abs(float(one.x) - float(other.x)) < 8 and abs(float(one.y) - float(other.y)) < 10


def across(share: float) -> float:
    return 34 + 230 * share


def down(share: float) -> float:
    return 150 - 140 * share


TICKS: Iterable[tuple[int, str, str]] = [
    (percent, format_number(across(percent / 100)), format_number(down(percent / 100)))
    for percent in (0, 25, 50, 75, 100)
]
