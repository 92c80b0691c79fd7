"""The tables behind a run's charts: tools, chain lengths, evidence after N calls, outcomes by size, crop regions.

Each takes ``rows``, the indices of the trajectories to look at (default all), so a chart follows the slice of its page.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.columns import Floats, Ints, Outcome, RunColumns, SampleColumns, ScoreColumns
from evaluation.metrics.names import canonical_name
from evaluation.metrics.plans import targets_of
from evaluation.metrics.ragged import spans
from evaluation.metrics.settings import MetricSettings

LONGEST_CURVE = 50
REGIONS = ("whole", "wide", "inside", "off")
"""Crop regions by coverage and concentration above the threshold: both; coverage only (the crop is too wide);
concentration only (inside the gold, which it cuts); neither."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool's calls and their share of all calls attempted."""

    tool: str
    calls: int
    share: float


@dataclass(frozen=True, slots=True)
class LengthCount:
    """How many trajectories have a toolchain of this length: attempted, effective, and in the reference."""

    length: int
    predicted: int
    effective: int
    reference: int


def tool_distribution(run: RunColumns, settings: MetricSettings, rows: Ints | None = None) -> list[ToolUse]:
    """Share of each tool among all attempted calls, most used first; names merge under ``tool_aliases`` = canonical."""
    calls = np.bincount(run.steps.tool[_steps(run, rows)], minlength=len(run.tools))
    counts: Counter[str] = Counter()
    for name, count in zip(run.tools, calls.tolist(), strict=True):
        counts[canonical_name(name) if settings.tool_aliases == "canonical" else name] += count
    total = sum(counts.values())
    return [ToolUse(tool, count, count / total) for tool, count in counts.most_common() if count]


def length_histogram(scores: ScoreColumns, rows: Ints | None = None) -> list[LengthCount]:
    """Lengths 0, 1, ... of toolchains against the reference; trajectories without a reference are left out."""
    at = _rows(scores, rows)
    at = at[scores.reference_calls[at] >= 0]
    columns = [column[at] for column in (scores.calls, scores.effective_calls, scores.reference_calls)]
    longest = max((int(column.max()) for column in columns), default=0) if len(at) else -1
    counts = [np.bincount(column, minlength=longest + 1).tolist() for column in columns]
    return [LengthCount(length, *(column[length] for column in counts)) for length in range(longest + 1)]


def coverage_curve(scores: ScoreColumns, run: RunColumns, rows: Ints | None = None) -> Floats:
    """Mean share of the gold region seen after 0, 1, 2, ... calls, over scorable trajectories; never decreases.

    A shorter trajectory keeps its last value; without calls it is 0. At most 50 calls; empty when nothing is scorable.
    Source: docs/metrics.md#statistics.
    """
    at = _rows(scores, rows)
    at = at[scores.scorable[at]]
    if not len(at):
        return np.zeros(0)
    start, lengths = run.step_start[at], np.diff(run.step_start)[at]
    seen = np.concatenate([np.nan_to_num(scores.step_coverage), [0.0]])
    curve = np.zeros(min(int(lengths.max()), LONGEST_CURVE) + 1)
    for calls in range(1, len(curve)):
        last = start + np.minimum(calls, lengths) - 1
        curve[calls] = seen[np.where(lengths > 0, last, -1)].mean()
    return curve


def outcomes_by_targets(samples: SampleColumns, scores: ScoreColumns, rows: Ints | None = None) -> dict[str, Ints]:
    """Counts of the five plan outcomes, in the order of ``Outcome.NAMES``, by number of targets ("1" .. "5", "6+")."""
    at = _rows(scores, rows)
    at = at[scores.plan_outcome[at] != Outcome.NONE]
    targets = targets_of(samples)[scores.sample[at]]
    table: dict[str, Ints] = {}
    for size in np.unique(np.minimum(targets, 6)).tolist():
        inside = np.minimum(targets, 6) == size
        counts = np.bincount(scores.plan_outcome[at][inside], minlength=len(Outcome.NAMES))
        table["6+" if size == 6 else str(size)] = counts.astype(np.int64)
    return table


def crop_regions(scores: ScoreColumns, settings: MetricSettings, rows: Ints | None = None) -> dict[str, int]:
    """Counts of the grounding population by region of coverage × concentration (see ``REGIONS``)."""
    at = _rows(scores, rows)
    at = at[scores.in_population[at]]
    covers = scores.coverage[at] > settings.ioa_threshold + 1e-9
    dense = scores.concentration[at] > settings.ioa_threshold + 1e-9
    code = np.where(covers, np.where(dense, 0, 1), np.where(dense, 2, 3))
    return dict(zip(REGIONS, np.bincount(code, minlength=4).tolist(), strict=True))


def _rows(scores: ScoreColumns, rows: Ints | None) -> Ints:
    return np.arange(len(scores)) if rows is None else rows


def _steps(run: RunColumns, rows: Ints | None) -> Ints:
    """Indices of all steps of the rows."""
    if rows is None:
        return np.arange(len(run.steps))
    return spans(run.step_start[rows], np.diff(run.step_start)[rows])
