"""Arithmetic of ragged columns: flat elements plus ``start`` offsets of length rows + 1 (see ``columns``)."""

from __future__ import annotations

import numpy as np

from evaluation.metrics.columns import Bools, Floats, Ints

TIE = 1e-9
"""Two measures closer than this are equal (docs/metrics.md#equality)."""


def starts_of(counts: Ints) -> Ints:
    """Offsets (rows + 1,) of rows that own ``counts`` elements each."""
    start = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=start[1:])
    return start


def rows_of(start: Ints) -> Ints:
    """The row of every flat element."""
    return np.repeat(np.arange(len(start) - 1), np.diff(start))


def positions_of(start: Ints) -> Ints:
    """The place 0, 1, ... of every flat element inside its row."""
    return np.arange(start[-1]) - np.repeat(start[:-1], np.diff(start))


def spans(first: Ints, counts: Ints) -> Ints:
    """The indices ``first[i], ..., first[i] + counts[i] - 1`` of all rows, one row after the other."""
    return np.arange(int(counts.sum())) + np.repeat(first - starts_of(counts)[:-1], counts)


def count_true(flags: Bools, start: Ints) -> Ints:
    """Return the number of true elements of every row."""
    return np.diff(np.concatenate(([0], np.cumsum(flags)))[start])


def different(codes: Ints) -> Ints:
    """The different values of ``codes`` in their order. ``np.unique`` alone hashes them, which takes up to fifty times
    as long as the sorting that its counts are made by."""
    found: Ints = np.unique(codes, return_counts=True)[0]
    return found


def distinct_counts(codes: Ints, start: Ints, counted: Bools | None = None) -> Ints:
    """Return the number of distinct codes (>= 0) in every row, of the elements that are ``counted`` (default all)."""
    rows = rows_of(start)
    if counted is not None:
        codes, rows = codes[counted], rows[counted]
    width = int(codes.max(initial=0)) + 1
    return np.bincount(different(rows * width + codes) // width, minlength=len(start) - 1)


def first_highest(values: Floats, start: Ints) -> Ints:
    """The flat index of the highest value of every row; of values that tie within 1e-9 the earliest.

    Every row must own at least one element.
    """
    highest = np.maximum.reduceat(values, start[:-1])
    ties = values >= np.repeat(highest, np.diff(start)) - TIE
    index = np.where(ties, np.arange(len(values)), len(values))
    return np.minimum.reduceat(index, start[:-1])


def latest_true(flags: Bools, start: Ints) -> Ints:
    """For every flat element the index of the latest true one of its row up to and with itself; -1 without one."""
    latest = np.maximum.accumulate(np.where(flags, np.arange(len(flags)), -1)) if len(flags) else np.empty(0, np.int64)
    return np.where(latest >= np.repeat(start[:-1], np.diff(start)), latest, -1)
