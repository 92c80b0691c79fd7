"""The call that created the image read by another call (docs/metrics.md#crops, #effective-toolchain)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.metrics.columns import NO_IMAGE, ORIGINAL_IMAGE, Ints, RunColumns
from evaluation.metrics.ragged import rows_of

NO_STEP = -1
"""No call made this image (or it is the original)."""


@dataclass(frozen=True)
class Producers:
    """The calls behind the images of a run.

    An image id may be written more than once: the latest EARLIER successful call counts, so a call never reads a
    image made after it. A failed call writes no image; nothing overwrites the original.

    Attributes:
        of_input: (t,) flat step index behind every entry of ``StepColumns.image_in``, ``NO_STEP`` when none.
        of_first_input: (s,) the same for the first input of every step; ``NO_STEP`` also without an input.
        first_input: (s,) the image code of the first input, ``NO_IMAGE`` without one.
        of_final: (n,) the latest call that made the named final image, ``NO_STEP`` when none.
    """

    of_input: Ints
    of_first_input: Ints
    first_input: Ints
    of_final: Ints


def find_producers(run: RunColumns) -> Producers:
    """Looks up all inputs and final images of ``run`` in one sorted table of the images written."""
    steps = run.steps
    trajectory = rows_of(run.step_start)
    reader = rows_of(steps.in_start)
    table = _PictureTable(run, trajectory)
    of_input = table.latest_before(trajectory[reader], steps.image_in, reader)
    everything = np.full(len(run), len(steps))
    of_final = table.latest_before(np.arange(len(run)), run.final_image, everything)
    named = np.diff(steps.in_start) > 0
    first = steps.in_start[:-1][named]
    of_first_input, first_input = np.full(len(steps), NO_STEP), np.full(len(steps), NO_IMAGE)
    of_first_input[named], first_input[named] = of_input[first], steps.image_in[first]
    return Producers(of_input, of_first_input, first_input, of_final)


class _PictureTable:
    """The (trajectory, image, step) triples written, as sorted whole numbers."""

    def __init__(self, run: RunColumns, trajectory: Ints) -> None:
        steps = run.steps
        self._pictures = 1 + max(int(c.max(initial=0)) for c in (steps.image_out, steps.image_in, run.final_image))
        self._steps = len(steps) + 1
        step = np.flatnonzero(steps.ok & (steps.image_out > ORIGINAL_IMAGE))
        self._keys = np.sort(self._place(trajectory[step], steps.image_out[step]) * self._steps + step)

    def _place(self, trajectory: Ints, picture: Ints) -> Ints:
        return trajectory * self._pictures + picture

    def latest_before(self, trajectory: Ints, picture: Ints, step: Ints) -> Ints:
        """The latest step before ``step`` that wrote ``picture`` of ``trajectory``, or ``NO_STEP``."""
        if not len(self._keys):
            return np.full(len(picture), NO_STEP)
        place = self._place(trajectory, picture)
        found = np.searchsorted(self._keys, place * self._steps + step) - 1
        key = self._keys[np.maximum(found, 0)]
        written = (found >= 0) & (picture > ORIGINAL_IMAGE) & (key // self._steps == place)
        return np.where(written, key % self._steps, NO_STEP)
