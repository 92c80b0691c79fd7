"""The calls of a trajectory beside those of the closest accepted reference toolchain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop, ngettext

from evaluation.common.trajectory.read import TrajectoryDetail
from evaluation.common.trajectory.turns import VALUE_LENGTH, argument_difference
from evaluation.metrics.alignment import Edit, align
from webapp.common.markup import fast_format_html, fast_format_html_join

MOST_ROWS = 100
"""Rows that are written out; the distance is that of all."""
MOST_CELLS = 50_000
"""Calls times reference calls; a longer table would take seconds and nobody reads it."""

SIGNS = {Edit.MATCH: "=", Edit.SUBSTITUTE: "≠", Edit.INSERT: "+", Edit.DELETE: "−"}
COUNTED = {
    "added": gettext_noop("%(count)s added"),
    "missing": gettext_noop("%(count)s missing"),
    "changed": gettext_noop("%(count)s changed"),
}
KINDS = {Edit.MATCH: "same", Edit.SUBSTITUTE: "changed", Edit.INSERT: "added", Edit.DELETE: "missing"}
WORDS = {
    Edit.SUBSTITUTE: gettext_noop("another tool"),
    Edit.INSERT: gettext_noop("only in the run"),
    Edit.DELETE: gettext_noop("only in the reference"),
}


@dataclass(frozen=True, slots=True)
class Pair:
    """One row: names as written (None where one side has nothing), the turn, and how their arguments differ."""

    sign: str
    kind: str
    reference: str | None
    predicted: str | None
    turn: int | None
    difference: str


@dataclass(frozen=True)
class AlignmentTable:
    """``distance``: Levenshtein. ``counts``: how many rows of each kind but "same", as words.
    ``left_out``: rows that are not written out. ``markup``: those that are."""

    rows: list[Pair]
    distance: int
    counts: str
    left_out: int

    @property
    def markup(self) -> SafeString:
        """The rows of the table: at a tenth of what a template takes for a hundred of them."""
        return fast_format_html_join("", _ROW, (_cells(row) for row in self.rows))


_ROW = (
    '<tr class="is-{}"><td>{}</td><td class="sign" title="{}">{}</td><td>{}</td>'
    '<td class="small" dir="auto">{}</td></tr>'
)
_NONE = SafeString("–")


def _cells(row: Pair) -> Sequence[object]:
    wanted = _NONE if row.reference is None else fast_format_html("<code>{}</code>", _short(row.reference))
    called = _NONE
    if row.predicted is not None:
        name = _short(row.predicted)
        called = fast_format_html(
            '<a href="#turn={}"><code>{}</code> <span class="faint">{}</span></a>', row.turn, name, row.turn
        )
    return row.kind, wanted, row.kind, row.sign, called, row.difference


def _short(name: str) -> str:
    return name if len(name) <= VALUE_LENGTH else name[: VALUE_LENGTH - 1] + "…"


def alignment_of(detail: TrajectoryDetail, calls: Sequence[Mapping[str, Any]]) -> AlignmentTable | None:
    """None without a reference or where the table would be endless. ``calls``: arguments by row of the columns."""
    reference = detail.reference.calls if detail.reference else ()
    columns = detail.loaded.columns
    predicted = [columns.tools[code] for code in columns.steps.tool.tolist()]
    if not reference or len(reference) * len(predicted) > MOST_CELLS:
        return None
    rows: list[Pair] = []
    ours = theirs = 0
    for operation in align([call.tool for call in reference], predicted):
        turn = None if operation.predicted is None else int(detail.loaded.positions[theirs]) + 1
        difference = gettext(WORDS[operation.edit]) if operation.edit in WORDS else ""
        if operation.edit is Edit.MATCH and turn is not None and len(rows) < MOST_ROWS:
            executed = detail.turns[turn - 1].executed
            difference = argument_difference(reference[ours], calls[theirs] if theirs < len(calls) else {}, executed)
        sign, kind = SIGNS[operation.edit], KINDS[operation.edit]
        rows.append(Pair(sign, kind, operation.reference, operation.predicted, turn, difference))
        ours += operation.reference is not None
        theirs += operation.predicted is not None
    counts = {kind: sum(row.kind == kind for row in rows) for kind in COUNTED}
    words = ", ".join(gettext(COUNTED[kind]) % {"count": n} for kind, n in counts.items() if n)
    return AlignmentTable(rows[:MOST_ROWS], sum(counts.values()), words, max(len(rows) - MOST_ROWS, 0))


def chain_words(detail: TrajectoryDetail) -> str:
    """Which accepted toolchain is taken, where it is not plain that it is the gold's; "" otherwise."""
    taken = detail.reference
    if taken is None or (taken.number is None and detail.chains == 1):
        return ""
    said = (
        ngettext(
            "The closest of %(count)s accepted toolchain, that of the gold",
            "The closest of %(count)s accepted toolchains, that of the gold",
            detail.chains,
        )
        if taken.number is None
        else ngettext(
            "The closest of %(count)s accepted toolchain, one that %(name)s accepted in addition to the reference",
            "The closest of %(count)s accepted toolchains, one that %(name)s accepted in addition to the reference",
            detail.chains,
        )
    )
    note = f": {taken.note}" if taken.note else ""
    return f"{said % {'count': detail.chains, 'name': taken.by}}{note}."
