"""The tables behind the charts of a run's page, as JSON: of the whole run, and of each value of its facets."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from evaluation.metrics.chains import Chains, choices
from evaluation.metrics.columns import TRUE, Ints, Quadrant, RunColumns, SampleColumns, ScoreColumns
from evaluation.metrics.heatmap import crop_cells, heat_map
from evaluation.metrics.names import canonical_name
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.slices import CALLS, WHOLE, slice_rows
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


def whole_tables(
    samples: SampleColumns, scores: ScoreColumns, run: RunColumns, chains: Chains, settings: MetricSettings
) -> dict[str, Any]:
    """The tables of all trajectories, with the intervals of every threshold and the tools' names as written."""
    right = scores.correct == TRUE
    cluster = samples.cluster[scores.sample]
    names: dict[str, list[str]] = {}
    for tool in run.tools:
        names.setdefault(canonical_name(tool), []).append(tool)
    return {
        **_tables(samples, scores, run, chains, settings),
        "threshold_intervals": quadrant_intervals(scores.ioa, right, scores.quadrant != Quadrant.OUTSIDE, cluster),
        "tool_names": names,
    }


def save_slice_tables(
    scoring: Scoring,
    samples: SampleColumns,
    scores: ScoreColumns,
    run: RunColumns,
    chains: Chains,
    settings: MetricSettings,
) -> None:
    """The same for each value of a facet with at most ``MOST_VALUES``. Call inside the transaction of scoring."""
    found = slice_rows(samples, scores.sample, scores.calls)
    pieces = [piece for piece in found if piece.by not in (WHOLE, CALLS)]
    many = {name for name in {piece.by for piece in pieces} if sum(p.by == name for p in pieces) > MOST_VALUES}
    SliceTables.objects.bulk_create(
        (
            SliceTables(
                scoring=scoring,
                slice_by=piece.by,
                slice=piece.value,
                tables=_tables(samples, scores, run, chains, settings, piece.rows),
            )
            for piece in pieces
            if piece.by not in many and len(piece.rows)
        ),
        batch_size=BATCH,
    )


def _tables(
    samples: SampleColumns,
    scores: ScoreColumns,
    run: RunColumns,
    chains: Chains,
    settings: MetricSettings,
    rows: Ints | None = None,
) -> dict[str, Any]:
    at = slice(None) if rows is None else rows
    heat = heat_map(samples, run, scores, rows)
    return {
        "tools": [asdict(row) for row in tool_distribution(run, settings, rows)],
        "tool_choices": [
            {name: getattr(row, name) for name in ("tool", "tp", "fp", "fn")}
            for row in choices(chains if rows is None else chains.take(rows), None)
        ],
        "lengths": [asdict(row) for row in length_histogram(scores, rows)],
        "coverage": coverage_curve(scores, run, rows).tolist(),
        "outcomes": {size: row.tolist() for size, row in outcomes_by_targets(samples, scores, rows).items()},
        "regions": crop_regions(scores, settings, rows),
        "thresholds": quadrants_by_threshold(
            scores.ioa[at], scores.correct[at] == TRUE, scores.quadrant[at] != Quadrant.OUTSIDE
        ).tolist(),
        "heat": None if heat is None else asdict(heat) | {"difference": heat.difference.round(6).tolist()},
        "crop_cells": crop_cells(samples, scores, rows).tolist(),
    }
