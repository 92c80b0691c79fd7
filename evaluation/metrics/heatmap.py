"""Where a run looks, minus where the evidence is: two densities on a grid over pictures of any size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.metrics.boxes import filled
from evaluation.metrics.columns import Bools, Floats, Ints, RunColumns, SampleColumns, ScoreColumns
from evaluation.metrics.grounding import gold_sets, known_sizes
from evaluation.metrics.ragged import rows_of

COLUMNS, ROWS = 24, 14


@dataclass(frozen=True, slots=True)
class HeatMap:
    """``difference``: (ROWS, COLUMNS), crop density minus gold density per cell, each density summing to 1.

    ``middle_crops``, ``middle_gold``: the share of each density in the middle ninth of the picture. ``crops``,
    ``golds``, ``trajectories``: how many boxes and trajectories it is made of.
    """

    difference: Floats
    middle_crops: float
    middle_gold: float
    crops: int
    golds: int
    trajectories: int


def density(boxes: Floats, columns: int = COLUMNS, rows: int = ROWS) -> Floats:
    """(rows, columns) share of the boxes' weight per cell; sums to 1.

    Each box weighs 1, spread evenly over its area: Σ_boxes area(box ∩ cell) / area(box), divided by the number of
    boxes. ``boxes``: (k, 4) in units of the picture, 0..1, none empty. Without boxes all cells are 0.
    """
    if not len(boxes):
        return np.zeros((rows, columns))
    across = _overlaps(boxes[:, 0], boxes[:, 2], columns)
    down = _overlaps(boxes[:, 1], boxes[:, 3], rows)
    shares: Floats = down.T @ across / len(boxes)
    return shares


def heat_map(samples: SampleColumns, run: RunColumns, scores: ScoreColumns, rows: Ints | None = None) -> HeatMap | None:
    """All usable crops against all gold boxes of the scorable trajectories; None without a crop or without gold.

    A trajectory without a crop counts with its gold: evidence that was not looked at. ``rows``: the trajectories to
    look at (default all).
    """
    counted = scores.scorable if rows is None else scores.scorable & np.isin(np.arange(len(scores)), rows)
    size = known_sizes(samples.size)[scores.sample]
    gold = gold_sets(samples).take(scores.sample)
    crops = _in_units(scores.step_crops, size[rows_of(run.step_start)], counted[rows_of(run.step_start)])
    golds = _in_units(gold.boxes, size[rows_of(gold.start)], counted[rows_of(gold.start)])
    if not len(crops) or not len(golds):
        return None
    middle = [float(density(boxes, 3, 3)[1, 1]) for boxes in (crops, golds)]
    return HeatMap(density(crops) - density(golds), middle[0], middle[1], len(crops), len(golds), int(counted.sum()))


def crop_cells(samples: SampleColumns, scores: ScoreColumns, rows: Ints | None = None) -> Ints:
    """(ROWS, COLUMNS) counts of the grounding population by where the centre of the scoring crop lies.

    A cell holds its left and upper edge; a centre on the right or lower edge of the picture is in the last cell. Those
    without a scoring crop, or on a picture of unknown size, are in none.
    """
    counts = np.zeros((ROWS, COLUMNS), np.int64)
    at = np.arange(len(scores)) if rows is None else rows
    at = at[scores.in_population[at] & np.isfinite(scores.crop_box[at]).all(axis=1)]
    size, box = known_sizes(samples.size)[scores.sample[at]], scores.crop_box[at]
    known = np.isfinite(size).all(axis=1)
    size, box = size[known], box[known]
    across = np.floor_divide((box[:, 0] + box[:, 2]) * COLUMNS, 2 * size[:, 0])
    down = np.floor_divide((box[:, 1] + box[:, 3]) * ROWS, 2 * size[:, 1])
    places = np.clip(down, 0, ROWS - 1).astype(np.int64), np.clip(across, 0, COLUMNS - 1).astype(np.int64)
    np.add.at(counts, places, 1)
    return counts


def _overlaps(low: Floats, high: Floats, cells: int) -> Floats:
    """(k, cells) share of each interval that lies in each cell of 0..1."""
    edges = np.arange(cells + 1) / cells
    inside = np.minimum(high[:, None], edges[None, 1:]) - np.maximum(low[:, None], edges[None, :-1])
    shares: Floats = np.maximum(inside, 0.0) / (high - low)[:, None]
    return shares


def _in_units(boxes: Floats, size: Floats, counted: Bools) -> Floats:
    """The counted boxes in units of their pictures, cut at the edges; empty and unknown ones are left out."""
    counted = counted & np.isfinite(boxes).all(axis=1)
    units = np.clip(boxes[counted] / np.tile(size[counted], 2), 0.0, 1.0)
    return units[filled(units)]
