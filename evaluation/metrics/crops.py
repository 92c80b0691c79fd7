"""Where every zoom call looked, in pixels of the original picture (METRICS 1.1).

Every picture of a trajectory has a frame: where it lies in the original (offset), how many original pixels one of its
pixels spans (scale) and its own width and height (size). A frame that cannot be known is NaN, and so is every crop
made on it ("location unknown").

Choices where the specification is silent:

- A call that names no input picture has no frame: its crop is "location unknown", as METRICS 3.1 calls its chain
  broken. Importers whose format always means the original say so in ``image_in``.
- The picture a crop returned is made of the pixels that were *executed*, whatever ``crop_box`` says is scored: a box
  asked for on that picture is relative to what the model really saw.
- A zoom call that succeeded without a readable box returned an unknown part: later crops on it are unknown too.
- A call flagged "unused" has no usable crop but did write its picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.metrics.boxes import clipped, valid
from evaluation.metrics.columns import NORM1, NORM1000, ORIGINAL_IMAGE, Bools, Floats, Ints, RunColumns
from evaluation.metrics.names import ToolKind
from evaluation.metrics.producers import NO_STEP, Producers
from evaluation.metrics.ragged import positions_of, rows_of


@dataclass(frozen=True)
class Crops:
    """The crops of a run, one row per step.

    Attributes:
        zoom: (s,) the step is a zoom call (attempted, whatever came of it).
        box: (s, 4) its usable crop in original pixels, NaN when it has none.
        usable: (s,) it has one.
    """

    zoom: Bools
    box: Floats
    usable: Bools


def find_crops(run: RunColumns, size: Floats, kinds: Ints, producers: Producers, requested: bool = False) -> Crops:
    """The crops of all trajectories, the k-th calls of all of them at once.

    Args:
        size: (n, 2) width and height of each trajectory's original picture, NaN when unknown.
        kinds: (s,) ``ToolKind`` of every step.
        requested: score the box the model asked for; otherwise the executed one where recorded (``crop_box``).
    """
    steps = run.steps
    zoom = kinds == ToolKind.ZOOM
    executed = np.where(np.isnan(steps.executed).any(axis=1, keepdims=True), steps.bbox, steps.executed)
    frames = _Frames(run, size, producers)
    box = np.full((len(steps), 4), np.nan)
    for rows in _rows_by_position(run.step_start):
        frame = frames.of_inputs(rows)
        region = _local_boxes(executed[rows], steps.coords[rows], frame)
        frames.write(rows, kinds[rows], frame, region, steps.out_size[rows])
        if requested:
            region = _local_boxes(steps.bbox[rows], steps.coords[rows], frame)
        box[rows] = clipped(_mapped(region, frame), size[frames.trajectory[rows]])
    usable = zoom & steps.ok & ~steps.unused & ~np.isnan(box[:, 0])
    box[~usable] = np.nan
    return Crops(zoom, box, usable)


def _rows_by_position(start: Ints) -> list[Ints]:
    """The first steps of all trajectories, then the second ones, and so on."""
    position = positions_of(start)
    counts = np.bincount(position)
    return np.split(np.argsort(position, kind="stable"), np.cumsum(counts)[:-1]) if len(position) else []


class _Frames:
    """(x, y, scale x, scale y, width, height) of every picture: one row per step, per original, and one unknown."""

    def __init__(self, run: RunColumns, size: Floats, producers: Producers) -> None:
        steps, n = len(run.steps), len(run)
        self.trajectory = rows_of(run.step_start)
        self._table = np.full((steps + n + 1, 6), np.nan)
        originals = self._table[steps : steps + n]
        originals[:, :2], originals[:, 2:4], originals[:, 4:] = 0.0, 1.0, size
        made = np.where(producers.of_first_input == NO_STEP, steps + n, producers.of_first_input)
        self._source = np.where(producers.first_input == ORIGINAL_IMAGE, steps + self.trajectory, made)

    def of_inputs(self, rows: Ints) -> Floats:
        return self._table[self._source[rows]]

    def write(self, rows: Ints, kinds: Ints, frame: Floats, region: Floats, out_size: Floats) -> None:
        """Sets the frames of the pictures these steps returned; ``region`` are their boxes in the input picture."""
        out = frame.copy()
        zoom = kinds == ToolKind.ZOOM
        out[zoom] = _cut(frame[zoom], region[zoom])
        given = (np.isfinite(out_size) & (out_size > 0)).all(axis=1)
        rescale = kinds == ToolKind.RESCALE
        resized = given & (zoom | rescale)
        out[resized, 2:4] *= out[resized, 4:] / out_size[resized]
        out[resized, 4:] = np.where(np.isnan(out[resized, 4:]), np.nan, out_size[resized])
        out[(kinds == ToolKind.LOSE) | (rescale & ~given)] = np.nan
        self._table[rows] = out


def _cut(frame: Floats, region: Floats) -> Floats:
    """The frame of a region of a picture."""
    offset = frame[:, :2] + region[:, :2] * frame[:, 2:4]
    return np.concatenate((offset, frame[:, 2:4], region[:, 2:] - region[:, :2]), axis=1)


def _local_boxes(boxes: Floats, coords: Ints, frame: Floats) -> Floats:
    """Recorded boxes as pixels of their input picture, clipped to it; NaN when invalid or nothing is left."""
    size = frame[:, 4:]
    local = boxes
    relative = (coords == NORM1) | (coords == NORM1000)
    if relative.any():
        unit = np.where((coords == NORM1000)[:, None], size / 1000.0, size)
        local = np.where(relative[:, None], boxes * np.concatenate((unit, unit), axis=1), boxes)
    out = clipped(local, size)
    out[~valid(boxes)] = np.nan
    return out


def _mapped(region: Floats, frame: Floats) -> Floats:
    """Boxes of a picture in pixels of the original."""
    out = np.empty_like(region)
    for side in (slice(0, 2), slice(2, 4)):
        out[:, side] = frame[:, :2] + region[:, side] * frame[:, 2:4]
    return out
