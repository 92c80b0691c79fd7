"""Determines the coordinates of a model's boxes from images with one square each.

``sent``: pixels of the image as sent. ``resized``: pixels after ``smart_resize`` with factor 28. ``norm1`` and
``norm1000``: 0 to 1 and 0 to 1000 in both directions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.importers.smart_resize import smart_resize

Box = tuple[float, float, float, float]
FRAMES = ("sent", "resized", "norm1", "norm1000")
SIZES = ((267, 181), (181, 267), (405, 293))
"""Width and height of the images. ``smart_resize`` moves their far edges by 3 to 7%, to either side."""
LARGEST_ERROR = 0.1
"""Mean error of a box, as a share of the image, above which no frame is found."""
_LEAST = 2
"""Boxes that must be readable."""
_WORST = 1.0
_NUMBER = r"[-+]?(?<![\d.])(?:\d{1,6}(?:\.\d{1,12})?|\.\d{1,12})(?!\d)"
_READ = 4000
"""Characters at the end of a response in which the box is searched for."""
_FOUR = re.compile(rf"({_NUMBER})" + rf"\D{{1,12}}?({_NUMBER})" * 3)
_TAGS = re.compile(r"[xy]_?(?:min|max|[12])|(?:bbox|box)_?2?d?", re.IGNORECASE)


@dataclass(frozen=True)
class Square:
    """A square in an image: the size of the image, and the box in its pixels."""

    width: int
    height: int
    box: Box


@dataclass(frozen=True)
class FrameFound:
    """``frame``: the one with the smallest error, empty if none is small enough. ``errors``: mean error of each frame
    as a share of the image, from 0 to 1. ``y_first``: whether the boxes only make sense with x and y exchanged."""

    frame: str
    errors: Mapping[str, float]
    boxes: int
    y_first: bool = False

    def agrees(self, frame: str) -> bool:
        """Whether the frame of a dialect is the one found. If not, a person has to confirm the start.

        ``pixels``, the image at full size, is ``sent`` here, because the images of the probe are not made smaller.
        """
        return self.frame == ("sent" if frame == "pixels" else frame)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> FrameFound:
        return cls(**stored)

    def to_json(self) -> dict[str, Any]:
        errors = {name: round(error, 4) for name, error in self.errors.items()}
        return {"frame": self.frame, "errors": errors, "boxes": self.boxes, "y_first": self.y_first}


def read_box(text: str) -> Box | None:
    """Return the last four numbers of a text that can be a box, None if there are none.

    Digits in names of fields, such as ``x1`` and ``bbox_2d``, are ignored.
    """
    found = _FOUR.findall(_TAGS.sub(" ", text.rpartition("</think>")[2][-_READ:]))
    if not found:
        return None
    x1, y1, x2, y2 = (float(number) for number in found[-1])
    return x1, y1, x2, y2


def frame_size(frame: str, width: int, height: int) -> tuple[float, float]:
    """Return the width and height of an image in the numbers of a frame."""
    if frame == "resized":
        return smart_resize(width, height)
    return {"sent": (width, height), "norm1": (1, 1), "norm1000": (1000, 1000)}[frame]


def box_error(box: Box, square: Square, frame: str) -> float:
    """Return how far the edges of a box are from those of a square, as a mean share of the image, at most 1."""
    across, down = frame_size(frame, square.width, square.height)
    scales = (across, down, across, down)
    sides = (square.width, square.height, square.width, square.height)
    differences = [
        abs(edge / scale - true / side) for edge, scale, true, side in zip(box, scales, square.box, sides, strict=True)
    ]
    return min(_WORST, sum(differences) / 4)


def find_frame(answers: Sequence[tuple[Square, Box | None]]) -> FrameFound:
    """Return the frame in which the boxes are closest to the squares."""
    readable = [(square, box) for square, box in answers if box is not None]
    if len(readable) < _LEAST:
        return FrameFound("", {}, len(readable))
    errors = _errors(readable)
    best = min(errors, key=lambda frame: errors[frame])
    if errors[best] <= LARGEST_ERROR:
        return FrameFound(best, errors, len(readable))
    exchanged = _errors([(square, (box[1], box[0], box[3], box[2])) for square, box in readable])
    return FrameFound("", errors, len(readable), y_first=min(exchanged.values()) <= LARGEST_ERROR)


def _errors(answers: Sequence[tuple[Square, Box]]) -> dict[str, float]:
    return {frame: sum(box_error(box, square, frame) for square, box in answers) / len(answers) for frame in FRAMES}
