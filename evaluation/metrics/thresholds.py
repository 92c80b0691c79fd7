"""The quadrants at every IoA threshold: how much they depend on the threshold."""

from __future__ import annotations

import numpy as np

from annotation.statistics import dense_codes
from evaluation.metrics.columns import Bools, Floats, Ints
from evaluation.metrics.intervals import rate_interval
from evaluation.metrics.ragged import TIE

STEPS = 100
"""Thresholds are 0, 1/STEPS, ..., 1."""


def quadrants_by_threshold(ioa: Floats, correct: Bools, population: Bools) -> Ints:
    """(STEPS + 1, 4) counts of G+A+, G+A-, G-A+, G-A- with the threshold at 0.00, 0.01, ..., 1.00.

    A row is grounded iff IoA > threshold, where IoA within 1e-9 of the threshold is not above it
    (docs/metrics.md#equality, #population), so
    that the row of the scoring threshold is the scored quadrants.

    Args:
        ioa: (n,) 0..1; not read outside the population.
        correct: (n,) the answer is correct; an undecided one is not.
        population: (n,) in the grounding population, with an answer that counts.

    Every row of the result sums to the population. Source: docs/metrics.md#population, #quadrants.
    """
    thresholds = np.arange(STEPS + 1) / STEPS
    # Grounded at the first `passed` thresholds and at no other.
    passed = np.searchsorted(thresholds + TIE, ioa[population], side="left")
    right = correct[population]
    columns = [_grounded(passed[right]), _grounded(passed[~right])]
    columns += [right.sum() - columns[0], (~right).sum() - columns[1]]
    return np.stack(columns, axis=1)


def undecided_by_threshold(ioa: Floats, undecided: Bools, population: Bools) -> Ints:
    """(STEPS + 1, 2) counts of the undecided answers among the grounded and among the ungrounded of the population.

    The thresholds are those of ``quadrants_by_threshold``, which counts these answers as incorrect."""
    none = np.zeros(len(ioa), np.bool_)
    return quadrants_by_threshold(ioa, none, population & undecided)[:, 1::2]


def quadrant_intervals(
    ioa: Floats, correct: Bools, population: Bools, cluster: Ints
) -> list[list[tuple[float, float] | None]]:
    """The 95% interval of each share of ``quadrants_by_threshold``, as of any rate (docs/metrics.md#one-run): (STEPS
    + 1) lists of
    four (low, high), 0..1; None without a population.

    ``cluster``: (n,). Neighbouring thresholds with the same rows on either side have the same intervals.
    """
    thresholds = np.arange(STEPS + 1) / STEPS
    passed = np.searchsorted(thresholds + TIE, ioa[population], side="left")
    right, groups = correct[population], dense_codes(cluster[population])[0]
    found: list[list[tuple[float, float] | None]] = []
    moved = np.bincount(passed, minlength=STEPS + 2)
    for step in range(STEPS + 1):
        if step and not moved[step]:
            found.append(found[-1])
            continue
        grounded = passed > step
        cells = (grounded & right, grounded & ~right, ~grounded & right, ~grounded & ~right)
        intervals = [rate_interval(cell.astype(np.float64), groups) for cell in cells]
        found.append([None if one is None else (one.low, one.high) for one in intervals])
    return found


def ranks_by_threshold(counts: Ints) -> Ints:
    """(runs, STEPS + 1) rank of each run by its share of G+A+ at each threshold: 1 is the largest, equal shares have
    the same rank, and 0 is a run without a population there.

    ``counts``: (runs, STEPS + 1, 4), of ``quadrants_by_threshold``.
    """
    whole = counts.sum(axis=2)
    share = np.where(whole > 0, counts[:, :, 0] / np.maximum(whole, 1), -1.0)
    above = (share[None, :, :] > share[:, None, :] + TIE).sum(axis=1)
    ranks: Ints = np.where(whole > 0, above + 1, 0).astype(np.int64)
    return ranks


def _grounded(passed: Ints) -> Ints:
    """Return the number of grounded rows at each threshold."""
    counts = np.bincount(passed, minlength=STEPS + 2)
    beyond: Ints = counts[::-1].cumsum()[::-1][1:].astype(np.int64)
    return beyond
