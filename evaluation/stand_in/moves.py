"""The moves of an agent before it answers: regions of the original to zoom into, and tools to run on images it has
seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor
from typing import Any

from annotation.importers.fields import Number4, four_numbers
from annotation.schema import ORIGINAL
from evaluation.importers.zooming import Size
from evaluation.runner.dialects.zoom import Frame, ZoomImage, to_pixels

_FRAMES = {"norm1": Frame.NORM1, "norm1000": Frame.NORM1000}
_MARGIN = 0.3
_LEAST_MARGIN = 20.0


@dataclass(frozen=True, slots=True)
class Move:
    """One call, in no dialect. ``source`` and ``result`` name images; ``region`` is what a zoom shows, in pixels of the
    original, None for another tool."""

    text: str
    source: str
    result: str
    region: Number4 | None
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)


def recorded_moves(row: Mapping[str, Any], size: Size) -> tuple[Move, ...]:
    """Return the steps of a row in the native format. A zoom that shows nothing of the image is omitted."""
    images = {ORIGINAL: ZoomImage(size, (0, 0, *size))}
    moves = []
    for number, step in enumerate(row.get("steps") or (), start=1):
        source = step.get("image_in") or ORIGINAL
        source = source if isinstance(source, str) else source[0]
        result = str(step.get("image_out") or f"step_{number}")
        base = images.get(source, images[ORIGINAL])
        shown = tuple(step.get("out_size") or base.size)
        box = four_numbers(step.get("bbox"))
        region = clipped(base.to_original(_pixels(box, step, base)), size) if box else None
        if box and region is None:
            continue
        images[result] = ZoomImage((shown[0], shown[1]), region or base.region)
        text, arguments = str(step.get("text") or ""), {} if box else dict(step.get("args") or {})
        moves.append(Move(text, source, result, region, str(step.get("tool") or ""), arguments))
    return tuple(moves)


def evidence_moves(boxes: Sequence[Number4], size: Size, text: str) -> tuple[Move, ...]:
    """Return one zoom into each gold box, with a margin of 30% of its longer side, at least 20 pixels."""
    moves = []
    for number, (x1, y1, x2, y2) in enumerate(boxes, start=1):
        margin = max(_LEAST_MARGIN, _MARGIN * max(x2 - x1, y2 - y1))
        around = floor(x1 - margin), floor(y1 - margin), ceil(x2 + margin), ceil(y2 + margin)
        region = clipped(around, size)
        if region:
            moves.append(Move(text, ORIGINAL, f"evidence{number}", region))
    return tuple(moves)


def clipped(box: Number4, size: Size) -> Number4 | None:
    """Return the part of a box inside an image, None if there is none."""
    x1, y1, x2, y2 = max(0, box[0]), max(0, box[1]), min(size[0], box[2]), min(size[1], box[3])
    return (x1, y1, x2, y2) if x2 > x1 and y2 > y1 else None


def _pixels(box: Number4, step: Mapping[str, Any], image: ZoomImage) -> Number4:
    frame = _FRAMES.get(str(step.get("coords")))
    return to_pixels(box, frame, image) if frame else box
