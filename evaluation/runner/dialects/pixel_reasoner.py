"""Pixel-Reasoner: ``crop_image_normalized`` in ``<tool_call>`` tags, ``bbox_2d`` from 0 to 1, ``target_image`` from 1.

The tool adds 0.1 of the image on each side. A box with a number of 1 or more is executed as pixels, as the release
does, so its executed box differs from the requested one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.importers.fields import Number4
from evaluation.importers.dialogue import calls_of
from evaluation.importers.smart_resize import smart_resize
from evaluation.importers.zooming import padded, size_of
from evaluation.runner.dialects.zoom import (
    FRAME_WORDS,
    DialectError,
    Frame,
    Response,
    UnreadableCall,
    ZoomCall,
    ZoomDialect,
    ZoomImage,
    ZoomResult,
    box_schema,
    from_pixels,
    image_at,
    read_call,
    require_box,
    tagged,
    to_pixels,
    tool_definition,
)

_ENDING = 10
"""A call counts if its tag closes within this number of characters before the end of the response."""
_SMALLEST = 28
_MIN_PIXELS, _MAX_PIXELS = 256 * 28 * 28, 5120 * 28 * 28


class PixelReasoner(ZoomDialect):
    """The dialect of Pixel-Reasoner: one call for each response, the last one."""

    tool_name = "crop_image_normalized"
    frame = Frame.NORM1

    def tool(self) -> dict[str, Any]:
        return tool_definition(
            self.tool_name,
            "Zooms in on a region of an image.",
            {
                "bbox_2d": box_schema(FRAME_WORDS[self.frame]),
                "target_image": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "number of the image, from 1, the original; default 1",
                },
            },
            ["bbox_2d"],
        )

    def parse(self, response: Response) -> tuple[ZoomCall | UnreadableCall, ...]:
        """Return the last call, if the response ends with its tag."""
        calls = list(calls_of(response.text))
        if not calls or len(response.text.rstrip()) - calls[-1].end > _ENDING:
            return ()
        call = calls[-1]
        if call.name != self.tool_name:
            return (UnreadableCall(call.raw, f"The tool is named {self.tool_name}."),)
        return (read_call(call.arguments, "target_image", call.raw, first=1),)

    def render(self, number: int, result: ZoomResult) -> str:
        return f"Here is the cropped image (Image Size: {result.shown[0]}x{result.shown[1]}):"

    def render_error(self, problem: str) -> str:
        return f"Execution error: {problem}"

    def write(self, call: ZoomCall) -> Response:
        arguments: dict[str, Any] = {"label": call.label} if call.label else {}
        return Response(
            tagged(self.tool_name, {**arguments, "bbox_2d": list(call.box), "target_image": call.image + 1})
        )

    def locate(self, call: ZoomCall, images: Sequence[ZoomImage]) -> ZoomResult:
        """Grow the box by 0.1 of the image per side. The result has sides of multiples of 28 px, 200,704 to
        4,014,080 px. Raises ``DialectError`` for a side of 28 px or less."""
        image = image_at(call.image, images)
        requested = to_pixels(call.box, self.frame, image)
        cut = to_pixels(padded(self._shares(call.box, image)), Frame.NORM1, image)
        require_box(cut)
        width, height = size_of(cut)
        if min(width, height) <= _SMALLEST:
            raise DialectError(f"Cropped image is too small: {width:.0f}x{height:.0f}. Allowed: sides over 28 pixels.")
        shown = smart_resize(width, height, _MAX_PIXELS, min_pixels=_MIN_PIXELS)
        return ZoomResult(image.to_original(requested), image.to_original(cut), cut, shown)

    def _shares(self, box: Number4, image: ZoomImage) -> Number4:
        return box if all(edge < 1 for edge in box) else from_pixels(box, Frame.NORM1, image)
