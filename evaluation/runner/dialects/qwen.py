"""Qwen-VL: ``image_zoom_in_tool`` in ``<tool_call>`` tags, with ``bbox_2d`` and ``img_idx`` from 0.

Family ``qwen3-vl`` counts 0 to 1000 of the image, ``qwen2.5-vl`` pixels after ``smart_resize`` with factor 28. Both
clip the box; a side under 32 px makes the box grow around its center (``expanded_to``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

from evaluation.importers.dialogue import calls_of
from evaluation.importers.smart_resize import smart_resize
from evaluation.importers.zooming import expanded_to, size_of
from evaluation.runner.dialects.zoom import (
    FRAME_WORDS,
    MOST_CALLS,
    Frame,
    Response,
    UnreadableCall,
    ZoomCall,
    ZoomDialect,
    ZoomImage,
    ZoomResult,
    box_schema,
    image_at,
    read_call,
    require_box,
    tagged,
    to_pixels,
    tool_definition,
)

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_FACTOR = 32
_MIN_PIXELS = 256 * _FACTOR * _FACTOR


class Qwen(ZoomDialect):
    """The dialect of one family: ``qwen3-vl`` has the frame ``NORM1000``, ``qwen2.5-vl`` the frame ``RESIZED``."""

    tool_name = "image_zoom_in_tool"

    def __init__(self, frame: Frame = Frame.NORM1000) -> None:
        self.frame = frame

    def tool(self) -> dict[str, Any]:
        return tool_definition(
            self.tool_name,
            "Zooms in on a region of an image: crops it and enlarges the crop.",
            {
                "bbox_2d": box_schema(FRAME_WORDS[self.frame]),
                "label": {"type": "string", "description": "what the region shows"},
                "img_idx": {"type": "integer", "minimum": 0, "description": "number of the image, from 0; default 0"},
            },
            ["bbox_2d"],
        )

    def parse(self, response: Response) -> tuple[ZoomCall | UnreadableCall, ...]:
        """Return the calls in tags. Calls inside ``<think>`` are not executed, so they are not calls."""
        calls = islice(calls_of(_THOUGHT.sub("", response.text)), MOST_CALLS)
        return tuple(
            read_call(call.arguments, "img_idx", call.raw, first=0)
            if call.name == self.tool_name
            else UnreadableCall(call.raw, f"The tool is named {self.tool_name}.")
            for call in calls
        )

    def render(self, number: int, result: ZoomResult) -> str:
        return f"<tool_response>\nimg_idx {number}: {result.shown[0]} × {result.shown[1]} pixels\n</tool_response>"

    def render_error(self, problem: str) -> str:
        return f"<tool_response>\nError: {problem}\n</tool_response>"

    def write(self, call: ZoomCall) -> Response:
        arguments: dict[str, Any] = {"label": call.label} if call.label else {}
        return Response(tagged(self.tool_name, {**arguments, "bbox_2d": list(call.box), "img_idx": call.image}))

    def locate(self, call: ZoomCall, images: Sequence[ZoomImage]) -> ZoomResult:
        """Clip and grow the box. The result has sides of multiples of 32 px and at least 262,144 px."""
        image = image_at(call.image, images)
        requested = to_pixels(call.box, self.frame, image)
        cut = expanded_to(requested, image.size)
        require_box(cut)
        shown = smart_resize(*size_of(cut), factor=_FACTOR, min_pixels=_MIN_PIXELS)
        return ZoomResult(image.to_original(requested), image.to_original(cut), cut, shown)
