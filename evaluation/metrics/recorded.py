"""Crops in pixels of the image that a sample has now, of trajectories on an earlier image (docs/metrics.md#crops)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evaluation.metrics.columns import Floats, RunColumns
from evaluation.metrics.crops import Crops
from evaluation.metrics.ragged import rows_of


def recorded_sizes(run: RunColumns, size: Floats) -> Floats:
    """(n, 2) Width and height of the image that each trajectory was recorded on. ``size``: (n, 2), of the image that
    its sample has. NaN when unknown."""
    if not len(run.recorded_size):
        return size
    return np.where(np.isnan(run.recorded_size), size, run.recorded_size)


def on_present_image(crops: Crops, run: RunColumns, size: Floats) -> Crops:
    """Return the crops in pixels of the image that each sample has.

    x · W / w and y · H / h of a crop on an image of w × h pixels, for an image of W × H; the share of any region that
    it covers stays equal. Crops of a lost image (``run.lost_image``) have no place on it: they are NaN and not usable.
    Crops on the image itself are unchanged.

    Args:
        size: (n, 2) width and height of the image of each sample, NaN when unknown.
    """
    if not len(run.recorded_size) and not len(run.lost_image):
        return crops
    row = rows_of(run.step_start)
    box, usable = crops.box.copy(), crops.usable.copy()
    if len(run.recorded_size):
        scaled = ~np.isnan(run.recorded_size[row, 0])
        own, now = run.recorded_size[row[scaled]], size[row[scaled]]
        box[scaled] = box[scaled] * np.tile(now, 2) / np.tile(own, 2)
    if len(run.lost_image):
        lost = run.lost_image[row]
        box[lost], usable[lost] = np.nan, False
    return replace(crops, box=box, usable=usable)
