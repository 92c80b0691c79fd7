"""Alignment of toolchains: Levenshtein distance, longest common subsequence, Kendall tau
(docs/metrics.md#statistics).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

import numpy as np

from evaluation.metrics.columns import Floats, Ints, RunColumns, SampleColumns
from evaluation.metrics.names import canonical_name, name_codes
from evaluation.metrics.ragged import spans, starts_of
from evaluation.metrics.references import closest_chains, references_of

CELLS = 65_536
"""Cells of the table of one batch: its rows stay in the cache."""

UNPAIRED = -1
"""In ``Alignment.paired``: the call is next to no call of the reference."""

_PAD_REFERENCE, _PAD_PREDICTED = -1, -2


class Edit(StrEnum):
    """An edit that turns a reference toolchain into the predicted one."""

    MATCH = "match"
    SUBSTITUTE = "substitute"
    DELETE = "delete"
    INSERT = "insert"


@dataclass(frozen=True, slots=True)
class EditOperation:
    """One row of two aligned toolchains: names as written, None if one toolchain has no call here.

    DELETE: the reference contains a tool that was not called. INSERT: the reference does not contain the call.
    """

    edit: Edit
    reference: str | None
    predicted: str | None


@dataclass(frozen=True)
class Alignment:
    """(n,) each, against the closest accepted toolchain.

    ``reference_chain``: its index. ``reference_calls``: its length L_G. ``edit_distance``: Levenshtein distance.
    ``lcs``: length of the longest common subsequence. All are -1 without an accepted toolchain. ``kendall_tau``: -1..1,
    NaN without one or with fewer than two common tools. ``paired`` (s,): the index of the reference call that ``align``
    assigns to a call; UNPAIRED for added calls, and without an accepted toolchain."""

    reference_chain: Ints
    reference_calls: Ints
    edit_distance: Ints
    lcs: Ints
    kendall_tau: Floats
    paired: Ints


def align_run(samples: SampleColumns, run: RunColumns) -> Alignment:
    """All attempted calls of every trajectory against the closest of its sample's accepted reference toolchains, by
    canonical name; ``closest_chains`` says which that is.

    Kendall tau is taken over the tools in both, each at its first occurrence: (pairs in the same order - pairs
    reversed) / pairs. Example a,b,c against b,a,d: distance 3, LCS 1, tau -1.
    """
    book: dict[str, int] = {}
    predicted = name_codes(run.tools, book)[run.steps.tool] if len(run.steps) else np.empty(0, np.int64)
    references = references_of(samples)
    first = starts_of(references.lengths)
    flat = name_codes(list(chain.from_iterable(references.names)), book)
    # One pair for each trajectory and each accepted toolchain of its sample.
    counts = np.diff(references.start)[run.sample]
    row = np.repeat(np.arange(len(run)), counts)
    against = spans(references.start[run.sample], counts)
    of_reference, of_predicted = references.lengths[against], np.diff(run.step_start)[row]
    found = _measured((flat, first[against], of_reference), (predicted, run.step_start[row], of_predicted))
    taken = closest_chains(found.edits, found.lcs, starts_of(counts))
    some = np.flatnonzero(taken >= 0)
    taken = taken[some]

    def of_taken(values: Ints) -> Ints:
        column = np.full(len(run), -1)
        column[some] = values[taken]
        return column

    kendall_tau, paired = np.full(len(run), np.nan), np.full(len(run.steps), UNPAIRED)
    kendall_tau[some] = found.tau[taken]
    calls = of_predicted[taken]
    paired[spans(run.step_start[some], calls)] = found.paired[spans(starts_of(of_predicted)[taken], calls)]
    return Alignment(
        of_taken(references.place[against]), of_taken(of_reference), of_taken(found.edits), of_taken(found.lcs),
        kendall_tau, paired,
    )  # fmt: skip


def align(reference: Sequence[str], predicted: Sequence[str]) -> list[EditOperation]:
    """The fewest edits from ``reference`` to ``predicted``, as rows to show side by side.

    Names are compared canonically. Of equally short ways it takes the one that, read from the end, prefers a pair
    (match or substitute), then a deletion. The number of rows that are no MATCH is the Levenshtein distance.
    """
    a, b = [canonical_name(n) for n in reference], [canonical_name(n) for n in predicted]
    cost = [[i + j if i * j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            pair = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            cost[i][j] = min(pair, cost[i - 1][j] + 1, cost[i][j - 1] + 1)
    operations, i, j = [], len(a), len(b)
    while i or j:
        if i and j and cost[i][j] == cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]):
            i, j = i - 1, j - 1
            edit = Edit.MATCH if a[i] == b[j] else Edit.SUBSTITUTE
            operations.append(EditOperation(edit, reference[i], predicted[j]))
        elif i and cost[i][j] == cost[i - 1][j] + 1:
            i -= 1
            operations.append(EditOperation(Edit.DELETE, reference[i], None))
        else:
            j -= 1
            operations.append(EditOperation(Edit.INSERT, None, predicted[j]))
    return operations[::-1]


@dataclass(frozen=True)
class _Measured:
    """(p,) of each pair of toolchains; ``paired`` is ragged, for the calls of each pair's predicted toolchain."""

    edits: Ints
    lcs: Ints
    tau: Floats
    paired: Ints


def _measured(reference: tuple[Ints, Ints, Ints], predicted: tuple[Ints, Ints, Ints]) -> _Measured:
    """The pairs of toolchains to align. Each side is codes, with the start and length of each pair."""
    start, pairs = starts_of(predicted[2]), len(reference[1])
    found = _Measured(
        np.zeros(pairs, np.int64), np.zeros(pairs, np.int64), np.full(pairs, np.nan), np.full(start[-1], UNPAIRED)
    )
    for at in _batches(reference[2], predicted[2]):
        of_a, of_b = reference[2][at], predicted[2][at]
        a = _padded(reference[0], reference[1][at], of_a, _PAD_REFERENCE)
        b = _padded(predicted[0], predicted[1][at], of_b, _PAD_PREDICTED)
        edits, found.lcs[at] = _tables(a, b, of_a, of_b)
        found.edits[at] = edits[of_a, of_b, np.arange(len(at))]
        found.tau[at] = _kendall(a, b)
        found.paired[spans(start[at], of_b)] = _pairs(edits, a, b, of_a, of_b)
    return found


def _batches(reference: Ints, predicted: Ints) -> Iterator[Ints]:
    """Group pairs of similar lengths, so that one long toolchain does not pad all others."""
    rows = np.lexsort((reference, predicted))
    while len(rows):
        head = rows[: max(1, CELLS // (int(predicted[rows[0]]) + 1))]
        size = max(1, CELLS // (int(predicted[head].max()) + 1))
        yield rows[:size]
        rows = rows[size:]


def _padded(flat: Ints, first: Ints, counts: Ints, pad: int) -> Ints:
    """(longest, r): column ``i`` holds the codes of row ``i``, then ``pad``."""
    place = np.arange(int(counts.max(initial=0)))[:, None]
    inside = place < counts[None, :]
    out = np.full(inside.shape, pad)
    out[inside] = flat[(first[None, :] + place)[inside]]
    return out


def _tables(a: Ints, b: Ints, of_a: Ints, of_b: Ints) -> tuple[Ints, Ints]:
    """Edit distances of all beginnings (i, j, r) and LCS lengths (r,) of the columns of ``a`` and ``b``, a line at a
    time.

    The best over the left neighbor is a running minimum of ``value - column`` (LCS: a running maximum).
    """
    column = np.arange(len(b) + 1)[:, None]
    edits = np.empty((len(a) + 1, len(b) + 1, len(of_a)), np.int64)
    edits[0] = column
    common = np.zeros_like(edits[0])
    lcs = np.zeros_like(of_b)
    for i, code in enumerate(a, 1):
        same = b == code
        line = edits[i - 1] + 1
        np.minimum(line[1:], edits[i - 1, :-1] + ~same, out=line[1:])
        edits[i] = np.minimum.accumulate(line - column, axis=0) + column
        longer = common.copy()
        np.maximum(longer[1:], common[:-1] + same, out=longer[1:])
        common = np.maximum.accumulate(longer, axis=0)
        ended = np.flatnonzero(of_a == i)
        lcs[ended] = common[of_b[ended], ended]
    return edits, lcs


def _pairs(edits: Ints, a: Ints, b: Ints, of_a: Ints, of_b: Ints) -> Ints:
    """For every call of every column of ``b``, column by column: the index of its partner in ``a``, or UNPAIRED.

    All columns are walked back at once, by the choices of ``align``."""
    place = np.full((b.shape[1], len(b)), UNPAIRED)
    at, i, j = np.arange(len(of_a)), of_a.copy(), of_b.copy()
    while True:
        at = at[(i[at] > 0) & (j[at] > 0)]
        if not len(at):
            break
        u, v = i[at], j[at]
        here = edits[u, v, at]
        paired = here == edits[u - 1, v - 1, at] + (a[u - 1, at] != b[v - 1, at])
        dropped = ~paired & (here == edits[u - 1, v, at] + 1)
        place[at[paired], v[paired] - 1] = u[paired] - 1
        i[at] -= paired | dropped
        j[at] -= ~dropped
    return place[np.arange(len(b)) < of_b[:, None]]


def _kendall(a: Ints, b: Ints) -> Floats:
    """Kendall tau of the columns over the codes in both, at their first places."""
    place = np.full(a.shape, -1)
    for i, code in enumerate(a):
        same = b == code
        new = (a[:i] != code).all(axis=0) & same.any(axis=0) if len(b) else np.zeros(len(code), bool)
        place[i, new] = same.argmax(axis=0)[new] if len(b) else -1
    order, pairs = np.zeros(a.shape[1]), np.zeros(a.shape[1])
    for i in range(len(a) - 1):
        both = (place[i] >= 0) & (place[i + 1 :] >= 0)
        pairs += both.sum(axis=0)
        order += (np.sign(place[i + 1 :] - place[i]) * both).sum(axis=0)
    tau = np.full(a.shape[1], np.nan)
    np.divide(order, pairs, out=tau, where=pairs > 0)
    return tau
