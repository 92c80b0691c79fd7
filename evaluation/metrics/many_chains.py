"""Several toolchains of one sample in one table, the reference on top (docs/metrics.md#statistics)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.metrics.alignment import Edit, align
from evaluation.metrics.names import canonical_name


@dataclass(frozen=True, slots=True)
class Column:
    """Aligned calls of one column.

    ``center``: index in the toolchain that all are aligned with, None for added calls. ``places``: the index of each
    toolchain's call, None if it has none here."""

    center: int | None
    places: tuple[int | None, ...]


@dataclass(frozen=True)
class MultiAlignment:
    """``columns``: in order. ``distances``: edits of each toolchain to the center. ``center``: the index of the
    toolchain that is the center, None if the reference is the center."""

    columns: Sequence[Column]
    distances: Sequence[int]
    center: int | None


def align_multiple(reference: Sequence[str] | None, chains: Sequence[Sequence[str]]) -> MultiAlignment:
    """Star alignment of ``chains`` (toolchains as names of tools) around the reference; () has no calls.

    Each toolchain is aligned only with the center, with the fewest edits (``align``): another tool, an added and a
    missing call cost 1 each, and equal canonical names nothing. An added call thus opens a separate column and moves no
    other toolchain. Between two calls of the center, added calls of the same tool share a column where their order
    allows it; different tools never do. Without a reference (None) the center is the toolchain with the smallest sum of
    distances to the others, the first among ties.

    Example: reference a b, toolchains a x b and b: columns a - | . x | b b, distances 1 and 1. Source: the center star
    method, Gusfield 1997, Algorithms on Strings, Trees and Sequences, 14.6.2.
    """
    center, around = None, reference
    if around is None:
        center = _middle(chains)
        around = () if center is None else chains[center]
    slots: list[list[_Added]] = [[] for _ in range(len(around) + 1)]
    beside: list[dict[int, int]] = []
    distances = []
    for row, names in enumerate(chains):
        pairs, added, distance = _split(around, names)
        beside.append(pairs)
        distances.append(distance)
        for slot, places in added.items():
            _merge(slots[slot], row, [(canonical_name(names[place]), place) for place in places])
    columns = []
    for place in range(len(around) + 1):
        columns += [Column(None, tuple(one.places.get(row) for row in range(len(chains)))) for one in slots[place]]
        if place < len(around):
            columns.append(Column(place, tuple(pairs.get(place) for pairs in beside)))
    return MultiAlignment(columns, distances, center)


def distances_to(references: Sequence[Sequence[str]], chains: Sequence[Sequence[str]]) -> list[list[int]]:
    """Edits between each reference and each toolchain of tool names: one list per reference.

    Another tool, an added and a missing call cost 1 each (Levenshtein, by canonical name); whole numbers from 0.
    Source: docs/metrics.md#statistics.

    >>> distances_to([["crop", "blur"]], [["crop"], ["crop", "blur", "canny"]])
    [[1, 1]]
    """
    return [[_split(reference, names)[2] for names in chains] for reference in references]


@dataclass(slots=True)
class _Added:
    """A column of added calls of one tool: row of a toolchain -> index of its call."""

    tool: str
    places: dict[int, int]


def _split(center: Sequence[str], names: Sequence[str]) -> tuple[dict[int, int], dict[int, list[int]], int]:
    """Return the toolchain's partner of each call of the center, its added calls by the next call of the center, and
    the number of edits.
    """
    pairs: dict[int, int] = {}
    added: dict[int, list[int]] = {}
    at, place, edits = 0, 0, 0
    for operation in align(center, names):
        edits += operation.edit is not Edit.MATCH
        if operation.edit is Edit.INSERT:
            added.setdefault(at, []).append(place)
        elif operation.edit is not Edit.DELETE:
            pairs[at] = place
        at += operation.reference is not None
        place += operation.predicted is not None
    return pairs, added, edits


def _merge(slot: list[_Added], row: int, calls: Sequence[tuple[str, int]]) -> None:
    """Put the added calls of a toolchain into columns of a slot: one with the same tool, or else a new one."""
    at = 0
    for tool, place in calls:
        found = next((n for n in range(at, len(slot)) if slot[n].tool == tool), None)
        if found is None:
            slot.insert(at, _Added(tool, {row: place}))
            at += 1
        else:
            slot[found].places[row] = place
            at = found + 1


def _middle(chains: Sequence[Sequence[str]]) -> int | None:
    sums = [sum(_split(one, other)[2] for other in chains) for one in chains]
    return min(range(len(chains)), key=sums.__getitem__, default=None)
