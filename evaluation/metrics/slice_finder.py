"""Finds the slices in which two runs differ most: every value of a facet, and every pair of values of different facets,
adjusted together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evaluation.metrics.columns import Bools, Ints
from evaluation.metrics.significance import cluster_differences, holm, mcnemar, sign_flip

LEAST = 20
"""Samples of a slice, unless another number is asked for."""
MOST_VALUES = 400
"""Values of facets that are put together in twos: the largest."""

Term = tuple[str, str]
"""A facet and its value."""


@dataclass(frozen=True, slots=True)
class FoundSlice:
    """The samples with one value, or with both of two. ``difference`` = (b_only − a_only) / n; ``p_value``: two-sided
    and exact, see ``find_slices``; ``p_holm``: adjusted over all slices tested."""

    terms: tuple[Term, ...]
    n: int
    a_only: int
    b_only: int
    difference: float
    p_value: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class Search:
    """``slices``: all that were tested, the smallest p first, of equal p the largest difference. ``left_out``: values
    that were tested alone only, as there are too many."""

    slices: tuple[FoundSlice, ...]
    left_out: int


def find_slices(
    right_a: Ints, right_b: Ints, cluster: Ints, terms: Sequence[Term], members: Bools, *, least: int = LEAST
) -> Search:
    """Test run b against run a on every slice of at least ``least`` samples.

    ``right_a``, ``right_b``: (n,) 1 or 0 on the n samples both have; ``cluster``: (n,); ``members``: (n, v) whether a
    sample has each of the v ``terms``. Two values of one facet are not put together; nor is a slice tested that holds
    the same samples as all, or two values that hold the same as one of them: it is that one.

    p is McNemar's exact one, min(1, 2 Σ_{i<=min(b, c)} C(b + c, i) / 2^(b + c)); where samples of a slice share a
    cluster the exact sign flip over clusters, which with one sample per cluster is the same. Adjusted by Holm, which
    holds whatever slices overlap: the chance of any false find is at most 5% at p_holm < 0.05. A slice chosen for its
    difference shows more of it than there is. Raises ``ValueError`` for ``least`` below 1. Source:
    docs/metrics.md#two-runs, #many-runs.
    """
    if least < 1:
        raise ValueError(f"At least {least} samples: 1 or more are needed.")
    enough = np.flatnonzero((sizes := members.sum(axis=0)) >= least)
    inside = members[:, enough]
    lost, gained = (right_a == 1) & (right_b == 0), (right_a == 0) & (right_b == 1)
    several = len(cluster) > 0 and bool((np.unique(cluster, return_counts=True)[1] > 1).any())
    tested: list[tuple[tuple[int, ...], int, int, int]] = []
    for at in range(len(enough)):
        if sizes[enough[at]] < len(cluster):
            b, c = (int(inside[rows, at].sum()) for rows in (lost, gained))
            tested.append(((at,), int(sizes[enough[at]]), b, c))
    largest = np.sort(np.argsort(-sizes[enough], kind="stable")[:MOST_VALUES])
    tested += _pairs(inside, largest, [terms[at][0] for at in enough.tolist()], (lost, gained), least)
    p_values = [
        _clustered([inside[:, i] for i in at], right_a, right_b, cluster) if several else mcnemar(b, c)
        for at, _, b, c in tested
    ]
    found = [
        FoundSlice(tuple(terms[int(enough[i])] for i in at), n, b, c, (c - b) / n, p, adjusted)
        for (at, n, b, c), p, adjusted in zip(tested, p_values, holm(p_values), strict=True)
        if adjusted is not None
    ]
    found.sort(key=lambda one: (one.p_value, -abs(one.difference), one.terms))
    return Search(tuple(found), len(enough) - len(largest))


def _pairs(
    inside: Bools, places: Ints, facets: Sequence[str], changed: tuple[Bools, Bools], least: int
) -> list[tuple[tuple[int, ...], int, int, int]]:
    """Pairs of values with the number of samples that have both, and the numbers that only a or only b answers
    correctly."""
    # Counts of all twos at once: the products of the columns. Whole numbers below 2^24 are exact in single precision.
    columns = inside[:, places].astype(np.float32)
    both = columns.T @ columns
    lost, gained = (columns[rows].T @ columns[rows] for rows in changed)
    alone = np.diag(both)
    found: list[tuple[tuple[int, ...], int, int, int]] = []
    for i, j in combinations(range(len(places)), 2):
        n = both[i, j]
        if n >= least and n < alone[i] and n < alone[j] and facets[places[i]] != facets[places[j]]:
            found.append(((int(places[i]), int(places[j])), int(n), int(lost[i, j]), int(gained[i, j])))
    return found


def _clustered(values: Sequence[Bools], right_a: Ints, right_b: Ints, cluster: Ints) -> float:
    rows = np.logical_and.reduce(values)
    return sign_flip(cluster_differences(right_b[rows], right_a[rows], cluster[rows]))
