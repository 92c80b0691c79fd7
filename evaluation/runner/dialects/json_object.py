"""One JSON object in the text: ``{"tool": "zoom_in", "arguments": {"image": id, "bbox_2d": […]}}``, the last counts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluation.runner.dialects.native import locate_inside
from evaluation.runner.dialects.zoom import (
    FRAME_WORDS,
    Frame,
    Response,
    UnreadableCall,
    ZoomCall,
    ZoomDialect,
    ZoomImage,
    ZoomResult,
    box_schema,
    image_id,
    image_index,
    read_call,
    spoken,
    tool_definition,
)

_READ = 20_000
"""Characters at the end of a response in which the object is searched for."""
_MOST_TRIES = 1000
_DECODER = json.JSONDecoder()


class JsonObject(ZoomDialect):
    """The dialect ``json``, for models without a format of their own. The endpoint states the frame."""

    tool_name = "zoom_in"

    def __init__(self, frame: Frame = Frame.NORM1000) -> None:
        self.frame = frame

    def instructions(self) -> str:
        return (
            "You can call one tool. Its definition:\n"
            f"{json.dumps(self.tool(), ensure_ascii=False)}\n"
            f'To call it, end your response with one JSON object: {{"tool": "{self.tool_name}", "arguments": {{…}}}}\n'
            'To answer, end it with {"answer": …}.'
        )

    def said(self, text: str) -> str:
        return text.strip()

    def answered(self, text: str) -> bool:
        return "answer" in self._last(text) or super().answered(text)

    def tool(self) -> dict[str, Any]:
        image = {"type": "string", "description": 'id of the image: "original", "image_1" …; default "original"'}
        label = {"type": "string", "description": "what the region shows"}
        properties = {"image": image, "bbox_2d": box_schema(FRAME_WORDS[self.frame]), "label": label}
        text = "Zooms in on a region of an image. The region must be inside the image."
        return tool_definition(self.tool_name, text, properties, ["bbox_2d"])

    def parse(self, response: Response) -> tuple[ZoomCall | UnreadableCall, ...]:
        """Return the call of the last JSON object, none if that has no ``tool``."""
        last = self._last(response.text)
        if "tool" not in last:
            return ()
        raw = json.dumps(last, ensure_ascii=False)
        arguments = last.get("arguments")
        if last["tool"] != self.tool_name or not isinstance(arguments, Mapping):
            return (UnreadableCall(raw, f"The tool is {self.tool_name} with an object of arguments."),)
        index = image_index(arguments.get("image"))
        if index is None:
            return (UnreadableCall(raw, 'Unknown image. Allowed: "original", "image_1" …'),)
        call = read_call({**arguments, "index": index}, "index", raw, first=0)
        return (replace(call, arguments=arguments) if isinstance(call, ZoomCall) else call,)

    def _last(self, text: str) -> Mapping[str, Any]:
        last: Mapping[str, Any] = {}
        for value in _objects(spoken(text)[-_READ:]):
            last = value
        return last

    def write(self, call: ZoomCall) -> Response:
        arguments: dict[str, Any] = {"image": image_id(call.image), "bbox_2d": list(call.box)}
        if call.label:
            arguments["label"] = call.label
        return Response(json.dumps({"tool": self.tool_name, "arguments": arguments}, ensure_ascii=False))

    def locate(self, call: ZoomCall, images: Sequence[ZoomImage]) -> ZoomResult:
        """Return the region unchanged. Raises ``DialectError`` if it leaves the image."""
        return locate_inside(call, self.frame, images)


def _objects(text: str) -> Iterator[Mapping[str, Any]]:
    """The JSON objects of a text that are in no other one, in order."""
    start = text.find("{")
    for _ in range(_MOST_TRIES):
        if start < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        yield value
        start = text.find("{", end)
