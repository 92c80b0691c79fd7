"""Whether the boxes of a file lie where their coordinates say: a tally over all calls on the original picture."""

from __future__ import annotations

from collections import Counter
from typing import Any

from annotation.schema import ORIGINAL
from evaluation.schema import Coordinates, Trajectory

LARGEST = {Coordinates.NORM1: 1.0, Coordinates.NORM1000: 1000.0}
MOST = 0.98
"""From this share of boxes on, a smaller space is named as the likelier one."""
ENOUGH = 20


class BoxTally:
    """Counts boxes by the space they are read in, and by the smallest space that all four numbers would fit."""

    def __init__(self) -> None:
        self.read: Counter[str] = Counter()
        self.fits: Counter[str] = Counter()
        self.calls = 0

    def take(self, record: Trajectory) -> None:
        for step in record.steps:
            self.calls += 1
            if step.bbox is None or step.image_in != ORIGINAL:
                continue
            self.read[step.coords.value] += 1
            largest = max(map(abs, step.bbox))
            for space, bound in LARGEST.items():
                self.fits[space.value] += largest <= bound

    def as_dict(self) -> dict[str, Any]:
        """``space`` most boxes are read in, how many boxes were looked at, and a likelier space or ""."""
        total = sum(self.read.values())
        space = self.read.most_common(1)[0][0] if total else ""
        likelier = ""
        if total >= ENOUGH and space != Coordinates.NORM1 and self.fits["norm1"] >= MOST * total:
            likelier = Coordinates.NORM1.value
        return {"boxes": total, "space": space, "calls": self.calls, "likelier": likelier, "fits": dict(self.fits)}
