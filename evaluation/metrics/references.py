"""The accepted reference toolchains of each sample, and the one that a trajectory is compared with
(docs/metrics.md#toolchains and #statistics).

A sample may have several: that of its gold, and others that reviewers accepted. All measures that need a reference use
the same one, the closest to all calls attempted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from evaluation.metrics.columns import Ints, SampleColumns, cached_per_sample_columns
from evaluation.metrics.ragged import rows_of, starts_of

GOLD_CHAIN = 0
"""The index of the gold's toolchain; accepted ones are 1, 2, ... in the order in which they were accepted."""
NO_CHAIN = -1


@dataclass(frozen=True)
class References:
    """All accepted toolchains, c of them: ``start`` (m + 1,) offsets of each sample's, ``place`` (c,) index among
    these, and ``names``, c lists of tool names as written.
    """

    start: Ints
    place: Ints
    names: list[tuple[str, ...]]

    @cached_property
    def lengths(self) -> Ints:
        return np.array([len(names) for names in self.names], np.int64)


@cached_per_sample_columns
def references_of(samples: SampleColumns) -> References:
    """Return the accepted toolchains of every sample, its gold's first."""
    if not samples.accepted:
        known = np.array([gold is not None for gold in samples.references], np.int64)
        names = [gold for gold in samples.references if gold is not None]
        return References(starts_of(known), np.full(len(names), GOLD_CHAIN), names)
    placed = [
        [(GOLD_CHAIN, gold)] * (gold is not None) + list(enumerate(others, GOLD_CHAIN + 1))
        for gold, others in zip(samples.references, samples.accepted, strict=True)
    ]
    flat = list(chain.from_iterable(placed))
    start = starts_of(np.array([len(chains) for chains in placed], np.int64))
    return References(start, np.array([place for place, _ in flat], np.int64), [names or () for _, names in flat])


def chain_at(samples: SampleColumns, sample: int, place: int) -> tuple[str, ...] | None:
    """Return the tool names of the accepted toolchain with an index of ``ScoreColumns.reference_chain``; None for
    ``NO_CHAIN``.
    """
    if place == NO_CHAIN:
        return None
    return samples.references[sample] if place == GOLD_CHAIN else samples.accepted[sample][place - 1]


def closest_chains(edits: Ints, lcs: Ints, start: Ints) -> Ints:
    """(n,) For each row the flat index of the closest toolchain, -1 for a row without any.

    The closest toolchain has the fewest edits (Levenshtein, by canonical name, to all calls attempted). Of equally few,
    the one with the longest common subsequence is taken; of these the earliest: the gold's, then as accepted.

    Args:
        edits, lcs: (c,) distance and length of the longest common subsequence of each toolchain and its row's calls.
        start: (n + 1,) offsets of each row's toolchains.

    Example: a, b were called. c, d and a, b, c, d are both two edits away; the second shares two calls and is taken.

    >>> closest_chains(np.array([2, 2, 5]), np.array([0, 2, 0]), np.array([0, 2, 2, 3])).tolist()
    [1, -1, 2]
    """
    # A stable sort: among ties, the earliest stays first.
    order = np.lexsort((-lcs, edits, rows_of(start)))
    found = np.full(len(start) - 1, -1)
    some = np.diff(start) > 0
    found[some] = order[start[:-1][some]]
    return found


def shortest_lengths(samples: SampleColumns) -> Ints:
    """Return (m,) L_G of a sample without a trajectory: the closest toolchain to no call is the shortest; -1 without
    any.

    Source: docs/metrics.md#evaluated-samples and #toolchain-metrics, ``missing_sample = wrong``.
    """
    references = references_of(samples)
    lengths, start = references.lengths, references.start
    found = np.full(len(samples), -1)
    some = np.diff(start) > 0
    if some.any():
        found[some] = np.minimum.reduceat(lengths, start[:-1][some])
    return found
