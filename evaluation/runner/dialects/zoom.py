"""The zoom tool in the dialects of models: calls, images, frames, and the pixels that a call returns.

A box is ``(x1, y1, x2, y2)``. A frame states what its numbers count: with the frame's size (W, H) of an image with
w × h pixels, the box in pixels is ``(x1·w/W, y1·h/H, x2·w/W, y2·h/H)``. Images are numbered from 0, the original, in
the order in which the model received them; a failed call adds none.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from annotation.importers.fields import Number4, four_numbers
from annotation.importers.storable import storable
from annotation.schema import ORIGINAL
from evaluation.importers.dialogue import TAG, answer_span, literal
from evaluation.importers.smart_resize import smart_resize
from evaluation.importers.zooming import Size, is_box

_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
MOST_CALLS = 8
"""The maximum number of calls of one response that run, in order."""


class Frame(StrEnum):
    """The coordinates of a box. ``PIXELS``: pixels of the image at full size. ``SENT``: pixels of the image at the size
    sent. ``RESIZED``: pixels of the sent image after ``smart_resize`` with factor 28. ``NORM1``, ``NORM1000``: 0 to 1
    and 0 to 1000 in both directions.
    """

    PIXELS = "pixels"
    SENT = "sent"
    RESIZED = "resized"
    NORM1 = "norm1"
    NORM1000 = "norm1000"


class DialectError(ValueError):
    """A call that cannot be executed. The message states what is allowed, for the model."""


@dataclass(frozen=True, slots=True)
class ZoomCall:
    """A call of the zoom tool. ``box`` is in the coordinates of the dialect; ``image`` is the number of its input from
    0.

    ``arguments`` are the written ones; ``repaired``: they are not valid JSON, but can be read.
    """

    box: Number4
    image: int = 0
    label: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict, compare=False)
    repaired: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class UnreadableCall:
    """A call that the tool can't execute: its text as written, the reason for the model, and the name that it calls."""

    raw: str
    problem: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class NativeCall:
    """A call in the API field for tool calls. ``arguments`` is JSON text."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Response:
    """A response of a model: text, and calls in the API field."""

    text: str = ""
    calls: tuple[NativeCall, ...] = ()


@dataclass(frozen=True, slots=True)
class ZoomImage:
    """An image of a session: its (width, height) in pixels, the part of the original that it shows in pixels of the
    original, and its size as sent to the model, if different.
    """

    size: Size
    region: Number4
    sent: Size | None = None

    @classmethod
    def original(cls, width: int, height: int, sent: Size | None = None) -> ZoomImage:
        return cls((width, height), (0, 0, width, height), sent)

    def to_original(self, box: Number4) -> Number4:
        """Convert a box in pixels of this image to pixels of the original."""
        left, top, right, bottom = self.region
        across, down = (right - left) / self.size[0], (bottom - top) / self.size[1]
        x1, y1, x2, y2 = box
        return left + x1 * across, top + y1 * down, left + x2 * across, top + y2 * down


@dataclass(frozen=True, slots=True)
class ZoomResult:
    """The region that a call requests and the one it returns. ``requested`` and ``executed`` are boxes in pixels of the
    original, ``cut`` is the executed box in pixels of the input, ``shown`` the (width, height) of the result.
    """

    requested: Number4
    executed: Number4
    cut: Number4
    shown: tuple[int, int]

    @property
    def image(self) -> ZoomImage:
        """The result as an image of the session."""
        return ZoomImage(self.shown, self.executed)


class ZoomDialect(ABC):
    """The notation in which a family of models writes calls of its zoom tool. ``parse(write(call)) == (call,)`` for
    each valid call.
    """

    native: ClassVar[bool] = False
    """Whether calls are in the API field, not in the text."""
    frame: Frame
    tool_name: str

    def instructions(self) -> str:
        """Return the instructions about the tool; "" if the API has a field for it."""
        return (
            "You can call one tool. Its definition:\n"
            f"<tools>\n{json.dumps(self.tool(), ensure_ascii=False)}\n</tools>\n"
            "To call it, write its name and arguments as JSON, and end your response:\n"
            '<tool_call>{"name": …, "arguments": {…}}</tool_call>'
        )

    def said(self, text: str) -> str:
        """Return the text before the first call of a response."""
        return text.partition(TAG)[0].strip()

    def answered(self, text: str) -> bool:
        """Return whether a response contains an answer marker. One inside thoughts does not count."""
        return has_answer(text)

    def render(self, number: int, result: ZoomResult) -> str:
        """Return the text for image ``number`` of the session, counted from 0."""
        return f"{image_id(number)}: {result.shown[0]} × {result.shown[1]} pixels."

    def render_error(self, problem: str) -> str:
        """Return the text that answers a failed call."""
        return f"Error: {problem}"

    @abstractmethod
    def tool(self) -> dict[str, Any]:
        """Return the tool in the format of chat-completions endpoints: one flat object of parameters."""

    @abstractmethod
    def parse(self, response: Response) -> tuple[ZoomCall | UnreadableCall, ...]:
        """Return the calls of a response in order, at most ``MOST_CALLS``."""

    @abstractmethod
    def write(self, call: ZoomCall) -> Response:
        """Return a response that makes this call."""

    @abstractmethod
    def locate(self, call: ZoomCall, images: Sequence[ZoomImage]) -> ZoomResult:
        """Return the requested and the returned pixels of a call. Raises ``DialectError``."""


def frame_size(frame: Frame, image: ZoomImage) -> Size:
    """Return the width and height of an image in the coordinates of a frame."""
    sent = image.sent or image.size
    match frame:
        case Frame.PIXELS:
            return image.size
        case Frame.SENT:
            return sent
        case Frame.RESIZED:
            return smart_resize(*sent)
        case Frame.NORM1:
            return 1.0, 1.0
        case Frame.NORM1000:
            return 1000.0, 1000.0


def to_pixels(box: Number4, frame: Frame, image: ZoomImage) -> Number4:
    """Convert a box from the coordinates of a frame to pixels of the image."""
    wide, high = frame_size(frame, image)
    x1, y1, x2, y2 = box
    width, height = image.size
    return x1 * width / wide, y1 * height / high, x2 * width / wide, y2 * height / high


def from_pixels(box: Number4, frame: Frame, image: ZoomImage) -> Number4:
    """Convert a box from pixels of the image to the coordinates of a frame; the inverse of ``to_pixels``."""
    wide, high = frame_size(frame, image)
    x1, y1, x2, y2 = box
    width, height = image.size
    return x1 * wide / width, y1 * high / height, x2 * wide / width, y2 * high / height


def image_at(index: int, images: Sequence[ZoomImage]) -> ZoomImage:
    """Return the image with this number, counted from 0. Raises ``DialectError``."""
    if 0 <= index < len(images):
        return images[index]
    raise DialectError(f"There is no image {index + 1}; the session has {len(images)}.")


def require_box(box: Number4) -> None:
    """Raise ``DialectError`` unless the box spans pixels."""
    if not is_box(box):
        raise DialectError("The box is empty or its corners are reversed. Allowed: x1 < x2 and y1 < y2.")


def spoken(text: str) -> str:
    """Return a response without its thoughts: text in ``<think>`` tags, or before a lone closing tag."""
    return _THOUGHT.sub("", text).rpartition("</think>")[2]


def has_answer(text: str) -> bool:
    """Return whether a response contains ``<answer>…</answer>`` outside its thoughts."""
    return answer_span(spoken(text)) is not None


def arguments_in(raw: str) -> tuple[dict[str, Any] | None, bool]:
    """Return the arguments of a call, and whether they had to be repaired; None if they cannot be read.

    Repairable are JSON written as a JSON text, Python literals, text after the object, and missing arguments.
    """
    if not raw.strip():
        return {}, True
    try:
        value = json.loads(raw, parse_constant=str)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return dict(storable(value)), False
    value = literal(value if isinstance(value, str) else raw)
    return (dict(storable(value)), True) if isinstance(value, dict) else (None, False)


def read_call(arguments: object, index_name: str, raw: str, *, first: int) -> ZoomCall | UnreadableCall:
    """Return the call with the box ``bbox_2d`` and an image number that counts from ``first``; without it, the
    original. ``raw`` is the call as written."""
    given = arguments if isinstance(arguments, Mapping) else {}
    box = four_numbers(given.get("bbox_2d"))
    if box is None:
        return UnreadableCall(raw, "The call has no box. Allowed: bbox_2d with four numbers x1, y1, x2, y2.")
    index = given.get(index_name)
    index = first if index is None else index
    if isinstance(index, bool) or not isinstance(index, int) or index < first:
        return UnreadableCall(raw, f"{index_name} must be a whole number from {first}.")
    label = given.get("label")
    return ZoomCall(box, index - first, label if isinstance(label, str) else "", given, arguments_in(raw)[1])


def tagged(name: str, arguments: Mapping[str, Any]) -> str:
    """Return a call in ``<tool_call>`` tags. ``<`` in it is escaped, so that no text ends the call."""
    content = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False).replace("<", "\\u003c")
    return f"<tool_call>\n{content}\n</tool_call>"


def tool_definition(name: str, description: str, properties: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    """Return a tool in the format of chat-completions endpoints."""
    parameters = {
        "type": "object",
        "properties": dict(properties),
        "required": required,
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def box_schema(numbers: str) -> dict[str, Any]:
    """Return the schema of a box; ``numbers`` describes its coordinates."""
    return {
        "type": "array",
        "items": {"type": "number"},
        "minItems": 4,
        "maxItems": 4,
        "description": f"x1, y1, x2, y2: left, top, right and bottom edge, {numbers}",
    }


FRAME_WORDS = {
    Frame.PIXELS: "in pixels of the image at full size",
    Frame.SENT: "in pixels of the image as you received it",
    Frame.RESIZED: "in pixels of the image as you received it",
    Frame.NORM1: "from 0 to 1 across and down the image",
    Frame.NORM1000: "from 0 to 1000 across and down the image",
}


def image_id(index: int) -> str:
    """Return the id of an image: ``original``, then ``image_1``, ``image_2`` …"""
    return f"image_{index}" if index else ORIGINAL


def image_index(name: object) -> int | None:
    """Return the number of the image with this id; None if it is not an id. A null counts as the original."""
    if name is None or name == ORIGINAL:
        return 0
    digits = name.removeprefix("image_") if isinstance(name, str) and name.startswith("image_") else ""
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 6 and digits[0] != "0" else None
