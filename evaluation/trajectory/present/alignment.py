"""The calls of a trajectory, aligned with those of the closest accepted toolchain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_noop, ngettext

from evaluation.common.trajectory.read import TrajectoryDetail
from evaluation.common.trajectory.turns import argument_difference
from evaluation.metrics.alignment import Edit, align

MOST_ROWS = 100
"""Rows that are written out; the distance is that of all."""
MOST_CELLS = 50_000
"""Maximum of calls times reference calls. A longer table would take seconds and be unreadable."""

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
    """One row: names as written (None if one side has no call), the turn, and the differences of their arguments."""

    sign: str
    kind: str
    reference: str | None
    predicted: str | None
    turn: int | None
    difference: str


@dataclass(frozen=True)
class AlignmentTable:
    """``distance``: Levenshtein. ``counts``: how many rows of each kind but "same", as words.
    ``left_out``: rows that are not written out."""

    rows: list[Pair]
    distance: int
    counts: str
    left_out: int


def alignment_of(detail: TrajectoryDetail, calls: Sequence[Mapping[str, Any]]) -> AlignmentTable | None:
    """Return the alignment; None without a reference or if the table would be too long. ``calls``: arguments by row of
    the columns.
    """
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
    """Return which accepted toolchain is used, if it is not obviously that of the gold; "" otherwise."""
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
