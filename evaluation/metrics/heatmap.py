"""The density of a run's crops minus that of the evidence, on a grid over images of any size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.metrics.boxes import filled
from evaluation.metrics.columns import Bools, Floats, Ints
from evaluation.metrics.grounding import known_sizes

COLUMNS, ROWS = 24, 14
NO_CELL = -1
BLOCK = 16_384
_MIDDLE = np.array([1 / 3, 2 / 3])


@dataclass(frozen=True, slots=True)
class HeatMap:
    """``difference``: (ROWS, COLUMNS), crop density minus gold density per cell, each density summing to 1.

    ``middle_crops``, ``middle_gold``: the share of each density in the middle ninth of the image. ``crops``,
    ``golds``, ``trajectories``: how many boxes and trajectories it is made of.
    """

    difference: Floats
    middle_crops: float
    middle_gold: float
    crops: int
    golds: int
    trajectories: int


def heat_map(crops: Floats, golds: Floats, trajectories: int) -> HeatMap | None:
    """All usable ``crops`` of some scorable trajectories, (k, 4), against all gold boxes of their samples, both
    ``in_units``; None without a crop or without gold.

    A trajectory without a crop counts with its gold: evidence that was not looked at.
    """
    if not len(crops) or not len(golds):
        return None
    crop, gold = density(crops), density(golds)
    return HeatMap(crop.cells - gold.cells, crop.middle, gold.middle, len(crops), len(golds), trajectories)


@dataclass(frozen=True, slots=True)
class Density:
    """``cells``: (rows, columns) share of the boxes' weight per cell, summing to 1, or all 0 without a box;
    ``middle``: the share in the middle ninth of the image."""

    cells: Floats
    middle: float


def density(boxes: Floats, columns: int = COLUMNS, rows: int = ROWS) -> Density:
    """Return the density of boxes over the image: (k, 4) in units of it, 0..1, none empty.

    Each box weighs 1, spread evenly over its area: Σ_boxes area(box ∩ cell) / area(box), divided by the number of
    boxes.
    """
    cells, middle = np.zeros((rows, columns)), 0.0
    edges = [np.arange(columns + 1) / columns, np.arange(rows + 1) / rows]
    for begin in range(0, len(boxes), BLOCK):
        block = boxes[begin : begin + BLOCK]
        across, down = (_overlaps(block[:, i], block[:, i + 2], edges[i]) for i in (0, 1))
        wide, high = (_overlaps(block[:, i], block[:, i + 2], _MIDDLE)[:, 0] for i in (0, 1))
        cells += down.T @ across
        middle += float(wide @ high)
    most = max(len(boxes), 1)
    return Density(cells / most, middle / most)


def in_units(boxes: Floats, size: Floats) -> Floats:
    """Boxes, (k, 4), in units of their images of these sizes, (k, 2), cut at the edges; empty and unknown ones are left
    out."""
    size = known_sizes(size)
    known = np.isfinite(boxes).all(axis=1) & np.isfinite(size).all(axis=1)
    units = np.clip(boxes[known] / np.tile(size[known], 2), 0.0, 1.0)
    return units[filled(units)]


def crop_cells(cells: Ints) -> Ints:
    """(ROWS, COLUMNS) counts of scoring crops by the cell of their center, as ``cells_of_boxes`` numbers them; NO_CELL
    is in none."""
    return np.bincount(cells[cells != NO_CELL], minlength=ROWS * COLUMNS).reshape(ROWS, COLUMNS)


def cells_of_boxes(boxes: Floats, size: Floats, counted: Bools) -> Ints:
    """(n,) the cell of the center of each box, (n, 4) in images of these sizes, (n, 2).

    NO_CELL if it is not ``counted`` or a number is unknown. A cell includes its left and upper edge. A center on the
    far edge of the image, across or down, is in the last cell.
    """
    cells, size = np.full(len(boxes), NO_CELL), known_sizes(size)
    at = np.flatnonzero(counted & np.isfinite(boxes).all(axis=1) & np.isfinite(size).all(axis=1))
    size, box = size[at], boxes[at]
    across = np.floor_divide((box[:, 0] + box[:, 2]) * COLUMNS, 2 * size[:, 0])
    down = np.floor_divide((box[:, 1] + box[:, 3]) * ROWS, 2 * size[:, 1])
    cells[at] = np.clip(down, 0, ROWS - 1) * COLUMNS + np.clip(across, 0, COLUMNS - 1)
    return cells


def _overlaps(low: Floats, high: Floats, edges: Floats) -> Floats:
    """Return (k, cells) the share of each interval between two adjacent edges."""
    inside = np.minimum(high[:, None], edges[None, 1:]) - np.maximum(low[:, None], edges[None, :-1])
    shares: Floats = np.maximum(inside, 0.0) / (high - low)[:, None]
    return shares
