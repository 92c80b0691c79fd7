"""The tables behind the charts of a run's page, as JSON: of the whole run, and of each value of its facets."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from evaluation.metrics.chains import Chains, choices
from evaluation.metrics.columns import TRUE, Ints, Quadrant, RunColumns, SampleColumns, ScoreColumns
from evaluation.metrics.extraction import extraction, read_run
from evaluation.metrics.grounded_difference import grounded_difference
from evaluation.metrics.heatmap import HeatMap, crop_cells, heat_maps
from evaluation.metrics.names import canonical_name
from evaluation.metrics.repeats import Repeats, Rollouts, repeats
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.slices import CALLS, WHOLE, Slice, slice_rows
from evaluation.metrics.tables import (
    coverage_curve,
    crop_regions,
    length_histogram,
    outcomes_by_targets,
    tool_distribution,
)
from evaluation.metrics.thresholds import quadrant_intervals, quadrants_by_threshold
from evaluation.models import Scoring, SliceTables

MOST_VALUES = 40
"""A facet with more values than this has no pages of its own: they would say little of anything."""
BATCH = 100


@dataclass(frozen=True)
class RunTables:
    """``whole``: the tables of all trajectories, with the intervals of every threshold and the tools' names as written;
    ``slices``: those of each value of a facet with at most ``MOST_VALUES``."""

    whole: dict[str, Any]
    slices: list[tuple[Slice, dict[str, Any]]]


def tables_of(
    samples: SampleColumns,
    scores: ScoreColumns,
    run: RunColumns,
    chains: Chains,
    rollouts: Rollouts,
    settings: MetricSettings,
) -> RunTables:
    """The tables of a scored run. ``rollouts``: those of the repeated samples."""
    parts = [part for part in slice_rows(samples, scores.sample, scores.calls) if part.by != CALLS]
    values = Counter(part.by for part in parts)
    parts = [part for part in parts if part.by == WHOLE or (values[part.by] <= MOST_VALUES and len(part.rows))]
    maps = heat_maps(samples, run, scores, [part.rows for part in parts])
    read = read_run(samples, run, scores, settings)
    whole, *others = (
        _tables(samples, scores, run, chains.take(part.rows), settings, part.rows)
        | _heat(heat)
        | {"extraction": extraction(read, part.rows)}
        | _repeats(repeats(rollouts if part.by == WHOLE else rollouts.on(part.samples)))
        for part, heat in zip(parts, maps, strict=True)
    )
    names: dict[str, list[str]] = {}
    for tool in run.tools:
        names.setdefault(canonical_name(tool), []).append(tool)
    cluster = samples.cluster[scores.sample]
    intervals = quadrant_intervals(scores.ioa, scores.correct == TRUE, scores.quadrant != Quadrant.OUTSIDE, cluster)
    return RunTables(
        whole | {"threshold_intervals": intervals, "tool_names": names}, list(zip(parts[1:], others, strict=True))
    )


def save_slice_tables(scoring: Scoring, tables: RunTables) -> None:
    """Call inside the transaction of scoring."""
    SliceTables.objects.bulk_create(
        (
            SliceTables(scoring=scoring, slice_by=part.by, slice=part.value, tables=found)
            for part, found in tables.slices
        ),
        batch_size=BATCH,
    )


def _tables(
    samples: SampleColumns, scores: ScoreColumns, run: RunColumns, chains: Chains, settings: MetricSettings, rows: Ints
) -> dict[str, Any]:
    return {
        "tools": [asdict(row) for row in tool_distribution(run, settings, rows)],
        "tool_choices": [
            {name: getattr(row, name) for name in ("tool", "tp", "fp", "fn")} for row in choices(chains, None)
        ],
        "lengths": [asdict(row) for row in length_histogram(scores, rows)],
        "coverage": coverage_curve(scores, run, rows).tolist(),
        "outcomes": {size: row.tolist() for size, row in outcomes_by_targets(samples, scores, rows).items()},
        "regions": crop_regions(scores, settings, rows),
        "thresholds": quadrants_by_threshold(
            scores.ioa[rows], scores.correct[rows] == TRUE, scores.quadrant[rows] != Quadrant.OUTSIDE
        ).tolist(),
        "grounded_difference": asdict(grounded_difference(scores.quadrant[rows], samples.cluster[scores.sample[rows]])),
        "crop_cells": crop_cells(samples, scores, rows).tolist(),
    }


def _heat(found: HeatMap | None) -> dict[str, Any]:
    return {"heat": None if found is None else asdict(found) | {"difference": found.difference.round(6).tolist()}}


def _repeats(found: Repeats | None) -> dict[str, Any]:
    return {"repeats": None if found is None else asdict(found)}
