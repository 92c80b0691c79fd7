"""The tables of a run's charts: tools, toolchain lengths, evidence after N calls, outcomes by size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.columns import Bools, Floats, Ints, Outcome
from evaluation.metrics.slices import MOST_TARGETS

LONGEST_CURVE = 50


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool's calls and their share of all calls attempted."""

    tool: str
    calls: int
    share: float


@dataclass(frozen=True, slots=True)
class LengthCount:
    """The number of trajectories with a toolchain of this length: attempted, effective, and in the reference."""

    length: int
    predicted: int
    effective: int
    reference: int


def tool_distribution(calls: Mapping[str, int]) -> list[ToolUse]:
    """Share of each tool among all attempted calls, most used first, equal ones by name. ``calls``: how many of
    each."""
    total = sum(calls.values())
    ordered = sorted(calls.items(), key=lambda one: (-one[1], one[0]))
    return [ToolUse(tool, count, count / total) for tool, count in ordered if count]


def length_histogram(calls: Ints, effective: Ints, reference: Ints) -> list[LengthCount]:
    """Lengths 0, 1, ... of the toolchains of n trajectories against the reference, -1 without one: these are left
    out."""
    held = reference >= 0
    columns = [column[held] for column in (calls, effective, reference)]
    longest = max((int(column.max()) for column in columns), default=0) if held.any() else -1
    counts = [np.bincount(column, minlength=longest + 1).tolist() for column in columns]
    return [LengthCount(length, *(column[length] for column in counts)) for length in range(longest + 1)]


def coverage_curve(seen: Floats, start: Ints, scorable: Bools) -> Floats:
    """Mean share of the gold region seen after 0, 1, 2, ... calls, over scorable trajectories; never decreases.

    A shorter trajectory keeps its last value; without calls it is 0. At most 50 calls; empty when nothing is scorable.
    Source: docs/metrics.md#statistics.

    Args:
        seen, start: ragged, the share after each call of n trajectories; NaN is 0. scorable: (n,).
    """
    at = np.flatnonzero(scorable)
    if not len(at):
        return np.zeros(0)
    first, lengths = start[at], np.diff(start)[at]
    seen = np.concatenate([np.nan_to_num(seen), [0.0]])
    curve = np.zeros(min(int(lengths.max()), LONGEST_CURVE) + 1)
    for calls in range(1, len(curve)):
        last = first + np.minimum(calls, lengths) - 1
        curve[calls] = seen[np.where(lengths > 0, last, -1)].mean()
    return curve


def outcomes_by_targets(outcome: Ints, targets: Ints) -> dict[str, Ints]:
    """Counts of the five plan outcomes, in the order of ``Outcome.NAMES``, by number of targets ("1" .. "5", "6+").

    ``outcome``, ``targets``: (n,) of each trajectory; one without an outcome is not counted.
    """
    planned = outcome != Outcome.NONE
    outcome, targets = outcome[planned], np.minimum(targets[planned], MOST_TARGETS)
    table: dict[str, Ints] = {}
    for size in np.unique(targets).tolist():
        counts = np.bincount(outcome[targets == size], minlength=len(Outcome.NAMES))
        table[f"{size}+" if size == MOST_TARGETS else str(size)] = counts.astype(np.int64)
    return table
