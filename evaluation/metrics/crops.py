"""The crop of every zoom call, in pixels of the original image (docs/metrics.md#crops).

Every image of a trajectory has a frame: its position in the original (offset), the number of original pixels per pixel
(scale) and its width and height (size). An unknown frame is NaN, and so are all crops of it ("location unknown").

Choices that the specification leaves open:

- A call that names no input image, made before any call has returned one, can only have seen the original: that is
  its frame. Later there are several images it may mean, and its crop is "location unknown". (Its toolchain is broken
  either way, docs/metrics.md#effective-toolchain.)
- The image a crop returned is made of the pixels that were *executed*, whatever ``crop_box`` says is scored: a box
  asked for on that image is relative to what the model really saw.
- A zoom call that succeeded without a readable box returned an unknown part: later crops on it are unknown too.
- A call flagged "unused" has no usable crop but did write its image.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.boxes import BLOCK, clipped, filled, valid
from evaluation.metrics.columns import NO_IMAGE, NORM1, NORM1000, ORIGINAL_IMAGE, Bools, Floats, Ints, RunColumns
from evaluation.metrics.names import ToolKind
from evaluation.metrics.producers import NO_STEP, Producers
from evaluation.metrics.ragged import rows_of


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
    """The crops of all trajectories, the calls on originals first, then those on what they returned, and so on.

    Args:
        size: (n, 2) width and height of each trajectory's original image, NaN when unknown.
        kinds: (s,) ``ToolKind`` of every step.
        requested: score the box the model asked for; otherwise the executed one where recorded (``crop_box``).
    """
    steps = run.steps
    zoom = kinds == ToolKind.ZOOM
    recorded = ~np.isnan(steps.executed[:, 0])
    executed = _RecordedBoxes(np.where(recorded[:, None], steps.executed, steps.bbox), steps.coords)
    scored = _RecordedBoxes(steps.bbox, steps.coords) if requested else executed
    frames = _Frames(run, size, producers)
    box = np.full((len(steps), 4), np.nan)
    for rows in frames.in_order():
        frame = frames.of_inputs(rows)
        region = executed.inside(rows, frame)
        frames.write(rows, kinds[rows], frame, region, steps.out_size[rows])
        local = scored.inside(rows, frame) if requested else region
        box[rows] = clipped(_mapped(local, frame), size[frames.trajectory[rows]])
    usable = zoom & steps.ok & ~steps.unused & filled(box)
    box[~usable] = np.nan
    return Crops(zoom, box, usable)


class _Frames:
    """(x, y, scale x, scale y, width, height) of every image: one row per step, per original, and one unknown."""

    def __init__(self, run: RunColumns, size: Floats, producers: Producers) -> None:
        steps, n = len(run.steps), len(run)
        self.trajectory = rows_of(run.step_start)
        self._table = np.full((steps + n + 1, 6), np.nan)
        originals = self._table[steps : steps + n]
        originals[:, :2], originals[:, 2:4], originals[:, 4:] = 0.0, 1.0, size
        made = np.where(producers.of_first_input == NO_STEP, steps + n, producers.of_first_input)
        original = (producers.first_input == ORIGINAL_IMAGE) | self._before_any_picture(run, producers)
        self._source = np.where(original, steps + self.trajectory, made)

    def _before_any_picture(self, run: RunColumns, producers: Producers) -> Bools:
        """Return which steps name no input while the original is the only image."""
        written = (run.steps.ok & (run.steps.image_out > ORIGINAL_IMAGE)).astype(np.int64)
        earlier = np.concatenate([[0], np.cumsum(written)])
        so_far = earlier[:-1] - earlier[run.step_start[:-1]][self.trajectory]
        return np.asarray((producers.first_input == NO_IMAGE) & (so_far == 0))

    def in_order(self) -> Iterator[Ints]:
        """All steps, each after the one that made its input; in blocks that stay in the cache."""
        waiting = np.arange(len(self.trajectory))
        done = np.zeros(len(self._table), np.bool_)
        done[len(waiting) :] = True
        while len(waiting):
            ready = done[self._source[waiting]]
            rows, waiting = waiting[ready], waiting[~ready]
            for begin in range(0, len(rows), BLOCK):
                yield rows[begin : begin + BLOCK]
            done[rows] = True

    def of_inputs(self, rows: Ints) -> Floats:
        return self._table[self._source[rows]]

    def write(self, rows: Ints, kinds: Ints, frame: Floats, region: Floats, out_size: Floats) -> None:
        """Sets the frames of the images these steps returned; ``region`` are their boxes in the input image."""
        out = frame.copy()
        zoom, rescale = kinds == ToolKind.ZOOM, kinds == ToolKind.RESCALE
        cut = np.flatnonzero(zoom)
        given = np.isfinite(out_size[:, 0]) & np.isfinite(out_size[:, 1]) & (out_size[:, 0] > 0) & (out_size[:, 1] > 0)
        resized = np.flatnonzero(given & (zoom | rescale))
        for side in (0, 1):
            low, high = region[cut, side], region[cut, side + 2]
            out[cut, side] += low * frame[cut, side + 2]
            out[cut, side + 4] = high - low
            out[resized, side + 2] *= out[resized, side + 4] / out_size[resized, side]
            out[resized, side + 4] = out_size[resized, side]
        out[(kinds == ToolKind.LOSE) | (rescale & ~given)] = np.nan
        self._table[rows] = out


class _RecordedBoxes:
    """Boxes of steps as recorded: fractions or pixels of the input image; invalid ones NaN."""

    def __init__(self, boxes: Floats, coords: Ints) -> None:
        self._boxes = np.where(valid(boxes)[:, None], boxes, np.nan)
        self._boxes[coords == NORM1000] /= 1000.0
        self._relative = (coords == NORM1) | (coords == NORM1000)

    def inside(self, rows: Ints, frame: Floats) -> Floats:
        """Return the boxes of ``rows`` in pixels of their input images, clipped to them; NaN if nothing is left."""
        boxes, relative = self._boxes[rows], self._relative[rows]
        for side in range(4):
            boxes[:, side] *= np.where(relative, frame[:, 4 + side % 2], 1.0)
        return clipped(boxes, frame[:, 4:])


def _mapped(region: Floats, frame: Floats) -> Floats:
    """Boxes of an image in pixels of the original."""
    out = np.empty_like(region)
    for side in range(4):
        np.multiply(region[:, side], frame[:, 2 + side % 2], out=out[:, side])
        out[:, side] += frame[:, side % 2]
    return out
