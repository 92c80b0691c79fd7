"""Where in the original an image lies that code cut out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotation.imaging.crops import Picture
from annotation.imaging.find import occurrences
from annotation.schema import Box
from evaluation.importers.code_calls import NOWHERE
from evaluation.importers.code_track import Program
from evaluation.importers.code_values import CodeCall, Raster

SCORE = 0.98
"""The least normalized correlation of a match."""


@dataclass(frozen=True, slots=True)
class Located:
    """``box`` in pixels of the original, None if unknown. ``source``: "code" when the program states it, "inferred"
    when the pixels were found again, None without a box."""

    box: Box | None
    source: Literal["code", "inferred"] | None


def locate(code: str, original: Picture, output: Picture, name: str = "") -> Located:
    """The box of ``output``, an RGB image that ``code`` made of ``original`` and saved as ``name`` ("": last image).

    First the crop that the program states, if its size is that of the output; else the one place where the output lies
    at scale 1 with a correlation of at least 0.98.
    """
    stated = _stated(code, original, name)
    size = output.shape[1], output.shape[0]
    if stated is not None and (round(stated.width), round(stated.height)) == size:
        return Located(stated, "code")
    places = occurrences(original, output, SCORE)
    if len(places) == 1:
        x, y = places[0]
        return Located(Box(x, y, x + size[0], y + size[1]), "inferred")
    return Located(None, None)


def _stated(code: str, original: Picture, name: str) -> Box | None:
    raster = Raster("original", (float(original.shape[1]), float(original.shape[0])))
    program = Program(raster)
    calls: dict[str | None, CodeCall] = {call.image_out: call for call in program.read(code).calls if call.image_out}
    saved = program.scope.files.get(name) if name else None
    last = saved.id if saved else next(reversed(calls), None) if not name else None
    return _back(last, calls, raster)


def _back(image: str | None, calls: dict[str | None, CodeCall], original: Raster) -> Box | None:
    """The one crop of the original that leads to ``image``; None if anything else moved its pixels."""
    x = y = 0.0
    size: tuple[float, float] | None = None
    while image is not None and image != original.id:
        call = calls.get(image)
        if call is None or call.image_in == NOWHERE.id:
            return None
        if call.tool == "crop":
            edges = call.executed or call.bbox
            if edges is None:
                return None
            x, y = x + edges[0], y + edges[1]
            size = size or (edges[2] - edges[0], edges[3] - edges[1])
        elif call.tool in {"resize", "rotate", "flip", "translate"}:
            return None
        image = call.image_in
    if image is None or size is None or not np.isfinite([x, y, *size]).all() or min(size) <= 0:
        return None
    return Box(x, y, x + size[0], y + size[1])
