"""What a request offers, as the stand-in reads it: which calls it can make, and how they are written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

from annotation.toolbox.vtc import Profile, image_path
from evaluation.importers.zooming import Size
from evaluation.runner.dialects.catalogue import TOOLBOX_DIALECTS, ZOOM_DIALECTS, zoom_dialect
from evaluation.runner.dialects.toolbox import Toolbox, ToolboxCall
from evaluation.runner.dialects.zoom import (
    FRAME_WORDS,
    Frame,
    Response,
    ZoomCall,
    ZoomDialect,
    ZoomImage,
    from_pixels,
)
from evaluation.stand_in.chat import Chat

_BY_NAME = ("qwen3-vl", "pixel-reasoner")


@dataclass(frozen=True)
class Form:
    """The zoom tool or the toolbox of a request; neither if it only wants an answer. ``list``: the list of tools that
    it wants instead, "" for an answer."""

    zoom: ZoomDialect | None = None
    toolbox: Toolbox | None = None
    list: str = ""


def form_of(chat: Chat) -> Form:
    """Read the form from the tools and the text of a request."""
    names = [str(tool["name"]) for tool in chat.tools]
    if any(name.startswith("opencv_") for name in names):
        return Form(toolbox=TOOLBOX_DIALECTS["vtc"])
    if names == ["zoom_in"]:
        return Form(zoom=zoom_dialect("tools", _frame(json.dumps(list(chat.tools)))))
    if names:
        return Form(toolbox=TOOLBOX_DIALECTS["tools"])
    for name in _BY_NAME:
        if ZOOM_DIALECTS[name].tool_name in chat.opening:
            small = FRAME_WORDS[Frame.RESIZED] in chat.opening
            return Form(zoom=ZOOM_DIALECTS["qwen2.5-vl" if name == "qwen3-vl" and small else name])
    if '{"tool":' in chat.opening:
        return Form(zoom=zoom_dialect("json", _frame(chat.opening)))
    wanted = chat.opening.strip().lower()
    if "name every tool" in wanted:
        return Form(list="recognition")
    return Form(list="plan") if "in order of use" in wanted else Form()


def _frame(text: str) -> Frame:
    return next((frame for frame, words in FRAME_WORDS.items() if words in text), Frame.PIXELS)


def call_of(form: Form, step: Mapping[str, Any], number: int, chat: Chat, size: Size, sample: str) -> Response | None:
    """A recorded step as a response in this form, None if it has no such call. ``number`` counts from 0."""
    box = step.get("bbox")
    if form.zoom is not None:
        if box is None:
            return None
        sent = chat.images[0].size if chat.images else None
        image = ZoomImage.original(int(size[0]), int(size[1]), sent)
        return form.zoom.write(ZoomCall(from_pixels(tuple(box), form.zoom.frame, image)))
    if form.toolbox is None:
        return None
    vtc = form.toolbox.profile is Profile.VTC
    name = _image(step, number)
    if box is not None:
        # The tool takes whole pixels.
        x1, y1 = max(0, floor(box[0])), max(0, floor(box[1]))
        x2, y2 = min(int(size[0]), ceil(box[2])), min(int(size[1]), ceil(box[3]))
        tool, given = "crop", {"x": x1, "y": y1, "width": x2 - x1, "height": y2 - y1}
    else:
        tool, given = str(step["tool"]), dict(step.get("args") or {})
    if vtc:
        return form.toolbox.write(ToolboxCall(f"opencv_{tool}", {"image": image_path(name, sample), "param": given}))
    return form.toolbox.write(ToolboxCall(tool, {"image": name, **given}))


def _image(step: Mapping[str, Any], number: int) -> str:
    """The input of a step under the names of this session: the original, or what the step before made."""
    return "original" if step.get("image_in") in (None, "original") else f"image_{number}"


def said(text: str, response: Response) -> Response:
    """The response with what the agent says before its call."""
    return Response("\n".join(part for part in (text, response.text) if part), response.calls)


def listed(row: Mapping[str, Any], name: str) -> str:
    names: Sequence[str] = row.get(f"predicted_tools_{name}") or ()
    return ", ".join(names)
