"""Native calls of any chat API: the image by its id, the region as ``x, y, width, height`` in the endpoint's frame."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from annotation.importers.fields import Number4, four_numbers
from evaluation.runner.dialects.zoom import (
    FRAME_WORDS,
    MOST_CALLS,
    DialectError,
    Frame,
    NativeCall,
    Response,
    UnreadableCall,
    ZoomCall,
    ZoomDialect,
    ZoomImage,
    ZoomResult,
    arguments_in,
    frame_size,
    image_at,
    image_id,
    image_index,
    require_box,
    to_pixels,
    tool_definition,
)

_DIGITS = 6
"""The number of decimals of a box in a call. Its ``x2`` is x + width, rounded to these."""
_BEYOND = 1e-6
"""Share of the image by which rounding may move an edge beyond it."""


class Native(ZoomDialect):
    """The dialect ``tools``: calls in the field of the API. A box that leaves the image is rejected."""

    native = True
    tool_name = "zoom_in"

    def __init__(self, frame: Frame = Frame.PIXELS) -> None:
        self.frame = frame

    def instructions(self) -> str:
        return ""

    def said(self, text: str) -> str:
        return text.strip()

    def tool(self) -> dict[str, Any]:
        words = FRAME_WORDS[self.frame]
        edges = {
            "x": {"type": "number", "minimum": 0, "description": f"left edge, {words}"},
            "y": {"type": "number", "minimum": 0, "description": f"top edge, {words}"},
            "width": {"type": "number", "minimum": 0, "description": f"width, {words}"},
            "height": {"type": "number", "minimum": 0, "description": f"height, {words}"},
        }
        image = {"type": "string", "description": 'id of the image: "original", "image_1" …; default "original"'}
        text = "Zooms in on a region of an image. The region must be inside the image."
        return tool_definition(self.tool_name, text, {"image": image, **edges}, list(edges))

    def parse(self, response: Response) -> tuple[ZoomCall | UnreadableCall, ...]:
        return tuple(self._read(call) for call in response.calls[:MOST_CALLS])

    def _read(self, call: NativeCall) -> ZoomCall | UnreadableCall:
        arguments, repaired = arguments_in(call.arguments)
        if call.name != self.tool_name or arguments is None:
            return UnreadableCall(call.arguments, f"The tool is {self.tool_name} with an object of arguments.")
        place = four_numbers([arguments.get(name) for name in ("x", "y", "width", "height")])
        index = image_index(arguments.get("image"))
        if place is None:
            return UnreadableCall(call.arguments, "The call has no region. Allowed: numbers x, y, width and height.")
        if index is None:
            return UnreadableCall(call.arguments, 'Unknown image. Allowed: "original", "image_1" …')
        x, y, width, height = place
        box = (x, y, round(x + width, _DIGITS), round(y + height, _DIGITS))
        return ZoomCall(box, index, arguments=arguments, repaired=repaired)

    def write(self, call: ZoomCall) -> Response:
        """Return the call; its label is not part of this dialect. Numbers keep six decimals."""
        x1, y1, x2, y2 = call.box
        place = {"x": x1, "y": y1, "width": round(x2 - x1, _DIGITS), "height": round(y2 - y1, _DIGITS)}
        return Response(calls=(NativeCall(self.tool_name, json.dumps({"image": image_id(call.image), **place})),))

    def locate(self, call: ZoomCall, images: Sequence[ZoomImage]) -> ZoomResult:
        """Return the region unchanged. The result has its size in pixels of the input, rounded."""
        return locate_inside(call, self.frame, images)


def locate_inside(call: ZoomCall, frame: Frame, images: Sequence[ZoomImage]) -> ZoomResult:
    """Return a box that must be inside its image, unchanged. Raises ``DialectError``."""
    image = image_at(call.image, images)
    require_box(call.box)
    wide, high = frame_size(frame, image)
    x1, y1, x2, y2 = call.box
    if x1 < 0 or y1 < 0 or x2 > wide * (1 + _BEYOND) or y2 > high * (1 + _BEYOND):
        raise DialectError(f"The box leaves the image. Allowed: x from 0 to {wide:g}, y from 0 to {high:g}.")
    inside: Number4 = (x1, y1, min(x2, wide), min(y2, high))
    cut = to_pixels(inside, frame, image)
    shown = max(1, round(cut[2] - cut[0])), max(1, round(cut[3] - cut[1]))
    box = image.to_original(cut)
    return ZoomResult(box, box, cut, shown)
