"""Lengths of toolchains: against references, by a facet of the samples, and with the pass rate of each length.

Source of the quantities: docs/metrics.md#toolchain-metrics and #benchmark-statistics.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from annotation.statistics import Interval
from evaluation.metrics.columns import Floats, Ints
from evaluation.metrics.intervals import rate_interval
from evaluation.metrics.measures import MEAN
from evaluation.metrics.selection import Summary, summarise
from evaluation.metrics.undecided import Open, Range

LONGEST = 10
"""Longer toolchains share a row and a column."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Mean lengths in calls of n trajectories with a reference toolchain: L_G, L_T, L_e, |L_G - L_T|, |L_G - L_e|."""

    name: str
    n: int
    reference: Summary
    calls: Summary
    effective: Summary
    error: Summary
    effective_error: Summary


def lengths_by(
    groups: Iterable[tuple[str, Ints]], reference: Ints, calls: Ints, effective: Ints, cluster: Ints | None
) -> list[Lengths]:
    """The lengths of each group of trajectories; a mean of none is None.

    Args:
        groups: name and rows of each; they may overlap.
        reference, calls, effective: (n,) L_G (negative: no reference, in no group), L_T and L_e.

    The errors are over all trajectories with a reference, as under ``mae_population`` = all. Example: L_G 5, 2, L_T 3,
    2: means 3.5 and 2.5, error 1.
    """
    found = []
    for name, inside in groups:
        rows = inside[reference[inside] >= 0]
        columns = (reference, calls, effective, np.abs(reference - calls), np.abs(reference - effective))
        each, groups_of = np.ones(len(rows)), None if cluster is None else cluster[rows]
        means = [summarise(MEAN, column[rows].astype(np.float64), each, groups_of) for column in columns]
        found.append(Lengths(name, len(rows), *means))
    return found


def length_table(reference: Ints, calls: Ints) -> Ints:
    """Return (LONGEST + 1, LONGEST + 1) trajectories by length of the reference (rows) and number of calls (columns).
    The last row and column include all longer ones. Trajectories without a reference (negative) are omitted.
    """
    rows = np.flatnonzero(reference >= 0)
    size = LONGEST + 1
    code = np.minimum(reference[rows], LONGEST) * size + np.minimum(calls[rows], LONGEST)
    return np.bincount(code, minlength=size * size).reshape(size, size)


@dataclass(frozen=True, slots=True)
class Group:
    """The trajectories with one value: their number, those ``counted`` in accuracy, and the correct ones (``right``).

    ``rate`` = correct / counted, None if none is counted. ``range``: the rates that undecided answers allow.
    """

    value: int
    n: int
    counted: int
    right: int
    rate: float | None
    interval: Interval | None
    range: Range = (None, None)


def pass_rate_by(
    values: Ints, right: Floats, counted: Floats, cluster: Ints | None, left_open: Open | None = None
) -> list[Group]:
    """Return the pass rate by a whole number, such as the calls or the distinct tools of each trajectory; negative ones
    are omitted.

    Args:
        ``values``, ``right``, ``counted``: (n,); ``right`` (correct) and ``counted`` are 0 or 1 as in accuracy.

    Example: values 1, 1, 2, correct 1, 0, 1, all counted: 1/2 at 1, 1/1 at 2. Source:
    docs/metrics.md#benchmark-statistics.
    """
    found = []
    for value in np.unique(values[values >= 0]).tolist():
        rows = np.flatnonzero(values == value)
        asked = rows[counted[rows] > 0]
        hits = right[asked]
        groups = None if cluster is None else cluster[asked]
        rate = float(hits.sum()) / len(asked) if len(asked) else None
        interval = rate_interval(hits, groups)
        ends = left_open.range(rows) if left_open else (None, None)
        found.append(Group(value, len(rows), len(asked), int(hits.sum()), rate, interval, ends))
    return found
