"""Where a run looks, minus where the evidence is: two densities on a grid over pictures of any size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.boxes import filled
from evaluation.metrics.columns import Bools, Floats, Ints, RunColumns, SampleColumns, ScoreColumns
from evaluation.metrics.grounding import gold_sets, known_sizes
from evaluation.metrics.ragged import rows_of

COLUMNS, ROWS = 24, 14
NO_CELL = -1
BLOCK = 16_384
_MIDDLE = np.array([1 / 3, 2 / 3])


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


def heat_maps(
    samples: SampleColumns, run: RunColumns, scores: ScoreColumns, selections: Sequence[Ints]
) -> list[HeatMap | None]:
    """All usable crops against all gold boxes of the scorable trajectories of each selection (rows of ``scores``); None
    without a crop or without gold.

    A trajectory without a crop counts with its gold: evidence that was not looked at.
    """
    counted = np.zeros((len(selections), len(scores)), np.bool_)
    for selected, rows in zip(counted, selections, strict=True):
        selected[rows] = scores.scorable[rows]
    size = known_sizes(samples.size)[scores.sample]
    gold = gold_sets(samples).take(scores.sample)
    crops = densities(*_in_units(scores.step_crops, rows_of(run.step_start), size), counted)
    golds = densities(*_in_units(gold.boxes, rows_of(gold.start), size), counted)
    return [
        HeatMap(crop.cells - wanted.cells, crop.middle, wanted.middle, crop.boxes, wanted.boxes, int(among.sum()))
        if crop.boxes and wanted.boxes
        else None
        for crop, wanted, among in zip(crops, golds, counted, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Density:
    """``cells``: (rows, columns) share of the weight of ``boxes`` boxes per cell, summing to 1, or all 0 without a box;
    ``middle``: the share in the middle ninth of the picture."""

    cells: Floats
    middle: float
    boxes: int


def densities(boxes: Floats, owner: Ints, counted: Bools, columns: int = COLUMNS, rows: int = ROWS) -> list[Density]:
    """How the boxes of each selection are spread over the picture.

    Each box weighs 1, spread evenly over its area: Σ_boxes area(box ∩ cell) / area(box), divided by the number of
    boxes.

    Args:
        boxes: (k, 4) in units of the picture, 0..1, none empty. owner: (k,) the row that each belongs to.
        counted: (selections, rows) which rows are in which selection.
    """
    cells, middle = np.zeros((len(counted), rows, columns)), np.zeros(len(counted))
    numbers = np.zeros(len(counted), np.int64)
    edges = [np.arange(columns + 1) / columns, np.arange(rows + 1) / rows]
    for begin in range(0, len(boxes), BLOCK):
        block, owners = boxes[begin : begin + BLOCK], owner[begin : begin + BLOCK]
        across, down = (_overlaps(block[:, i], block[:, i + 2], edges[i]) for i in (0, 1))
        wide, high = (_overlaps(block[:, i], block[:, i + 2], _MIDDLE)[:, 0] for i in (0, 1))
        for place, among in enumerate(counted):
            at = np.flatnonzero(among[owners])
            cells[place] += down[at].T @ across[at]
            middle[place] += wide[at] @ high[at]
            numbers[place] += len(at)
    most = np.maximum(numbers, 1)
    shares = zip(cells / most[:, None, None], (middle / most).tolist(), numbers.tolist(), strict=True)
    return [Density(*found) for found in shares]


def crop_cells(samples: SampleColumns, scores: ScoreColumns, rows: Ints | None = None) -> Ints:
    """(ROWS, COLUMNS) counts of the grounding population by where the centre of the scoring crop lies.

    A cell holds its left and upper edge; a centre on the right or lower edge of the picture is in the last cell. Those
    without a scoring crop, or on a picture of unknown size, are in none.
    """
    cells = cells_of_crops(samples, scores)
    cells = cells if rows is None else cells[rows]
    return np.bincount(cells[cells != NO_CELL], minlength=ROWS * COLUMNS).reshape(ROWS, COLUMNS)


def cells_of_crops(samples: SampleColumns, scores: ScoreColumns) -> Ints:
    """(n,) the cell that ``crop_cells`` counts each trajectory in, row · COLUMNS + column, or NO_CELL."""
    cells = np.full(len(scores), NO_CELL)
    size = known_sizes(samples.size)[scores.sample]
    known = np.isfinite(scores.crop_box).all(axis=1) & np.isfinite(size).all(axis=1)
    at = np.flatnonzero(scores.in_population & known)
    size, box = size[at], scores.crop_box[at]
    across = np.floor_divide((box[:, 0] + box[:, 2]) * COLUMNS, 2 * size[:, 0])
    down = np.floor_divide((box[:, 1] + box[:, 3]) * ROWS, 2 * size[:, 1])
    cells[at] = np.clip(down, 0, ROWS - 1) * COLUMNS + np.clip(across, 0, COLUMNS - 1)
    return cells


def _overlaps(low: Floats, high: Floats, edges: Floats) -> Floats:
    """(k, cells) share of each interval that lies between two neighbouring edges."""
    inside = np.minimum(high[:, None], edges[None, 1:]) - np.maximum(low[:, None], edges[None, :-1])
    shares: Floats = np.maximum(inside, 0.0) / (high - low)[:, None]
    return shares


def _in_units(boxes: Floats, owner: Ints, size: Floats) -> tuple[Floats, Ints]:
    """The boxes in units of their pictures, cut at the edges, and whose they are; empty and unknown ones are left out.
    ``size``: (rows, 2)."""
    known = np.isfinite(boxes).all(axis=1)
    boxes, owner = boxes[known], owner[known]
    units = np.clip(boxes / np.tile(size[owner], 2), 0.0, 1.0)
    there = filled(units)
    return units[there], owner[there]
