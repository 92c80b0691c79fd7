"""The quadrants at every IoA threshold: how far the picture depends on where the line is drawn."""

from __future__ import annotations

import numpy as np

from evaluation.metrics.columns import Bools, Floats, Ints
from evaluation.metrics.ragged import TIE

STEPS = 100
"""Thresholds are 0, 1/STEPS, ..., 1."""


def quadrants_by_threshold(ioa: Floats, correct: Bools, population: Bools) -> Ints:
    """(STEPS + 1, 4) counts of G+A+, G+A-, G-A+, G-A- with the threshold at 0.00, 0.01, ..., 1.00.

    A row is grounded iff IoA > threshold, where IoA within 1e-9 of the threshold is not above it (METRICS 0.6, 1.3), so
    that the row of the scoring threshold is the scored quadrants.

    Args:
        ioa: (n,) 0..1; not read outside the population.
        correct: (n,) the answer is right; an undecided one is not.
        population: (n,) in the grounding population.

    Every row of the result sums to the population. Source: METRICS 1.3, 1.4.
    """
    thresholds = np.arange(STEPS + 1) / STEPS
    # Grounded at the first `passed` thresholds and at no other.
    passed = np.searchsorted(thresholds + TIE, ioa[population], side="left")
    right = correct[population]
    columns = [_grounded(passed[right]), _grounded(passed[~right])]
    columns += [right.sum() - columns[0], (~right).sum() - columns[1]]
    return np.stack(columns, axis=1)


def _grounded(passed: Ints) -> Ints:
    """How many rows are grounded at each threshold."""
    counts = np.bincount(passed, minlength=STEPS + 2)
    beyond: Ints = counts[::-1].cumsum()[::-1][1:].astype(np.int64)
    return beyond
