"""The forms of requests, as read by the stand-in: available calls, their notation, and their results."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import ceil, floor

from annotation.importers.fields import Number4
from annotation.schema import ORIGINAL, ToolCall
from annotation.toolbox.names import UnknownToolError
from annotation.toolbox.python_code import python_code
from annotation.toolbox.results import ToolError
from annotation.toolbox.vtc import Profile, image_path
from evaluation.importers.zooming import Size
from evaluation.runner.dialects.catalogue import CODE_DIALECTS, TOOLBOX_DIALECTS
from evaluation.runner.dialects.thyme import Cell, Thyme
from evaluation.runner.dialects.toolbox import Toolbox, ToolboxCall
from evaluation.runner.dialects.zoom import (
    FRAME_WORDS,
    DialectError,
    Frame,
    Response,
    UnreadableCall,
    ZoomCall,
    ZoomDialect,
    ZoomImage,
    from_pixels,
    image_id,
)
from evaluation.runner.dialects.zooms import ZOOM_DIALECTS, zoom_dialect
from evaluation.stand_in.chat import Chat, SentImage, Turn
from evaluation.stand_in.moves import Move

Call = ZoomCall | ToolboxCall | Cell | UnreadableCall
_BY_NAME = ("qwen3-vl", "pixel-reasoner")
_PATH = re.compile(r"[\w./-]+\.(?:png|jpe?g|webp)\b", re.IGNORECASE)
_NAMED = re.compile(r"\b(image_\d{1,5}): (\d+) × (\d+) pixels")
_READ = re.compile(r"imread\('([^']+)'")
_CUT = re.compile(r"img\[(\d+):(\d+), (\d+):(\d+)\]")
_SAVED = re.compile(r'imwrite\("([^"]+)"')
_BELOW_ONE = 0.9999
"""Pixel-Reasoner reads a box with a number of 1 as pixels."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An image of the conversation: its name there, its size and the part of the original that it shows, and the file
    that was sent. ``located``: whether that part is known."""

    name: str
    image: ZoomImage
    sent: SentImage | None = None
    located: bool = True


@dataclass(frozen=True, slots=True)
class Past:
    """The images of a conversation, the original first, and its calls in order, each with the number of its image."""

    album: Sequence[Shown]
    calls: Sequence[tuple[Call, int | None]]


class Form(ABC):
    """The notation of calls in one conversation."""

    @abstractmethod
    def plan(self, move: Move, source: Shown, index: int) -> Call | None:
        """Return the call of a move on image number ``index``, None if there is no such call here."""

    @abstractmethod
    def place(self, call: Call, album: Sequence[Shown]) -> Shown | None:
        """Return the image that a call returns, None if it returns none."""

    @abstractmethod
    def parse(self, response: Response) -> Sequence[Call]: ...

    @abstractmethod
    def write(self, call: Call) -> Response: ...

    def named(self, turn: Turn, sample: str) -> Sequence[tuple[str, Size]]:
        """Return names and sizes of the images of a turn, as far as its text states them."""
        return ()


@dataclass(frozen=True)
class ZoomForm(Form):
    dialect: ZoomDialect

    def plan(self, move: Move, source: Shown, index: int) -> Call | None:
        if move.region is None:
            return None
        inside = _inside(move.region, source.image)
        box = from_pixels(inside, self.dialect.frame, source.image)
        if self.dialect.frame is Frame.NORM1:
            x1, y1, x2, y2 = (min(round(edge, 4), _BELOW_ONE) for edge in box)
        else:
            x1, y1, x2, y2 = (round(edge, 1) for edge in box)
        return ZoomCall((x1, y1, x2, y2), index)

    def place(self, call: Call, album: Sequence[Shown]) -> Shown | None:
        if not isinstance(call, ZoomCall):
            return None
        try:
            found = self.dialect.locate(call, [one.image for one in album])
        except DialectError:
            return None
        return Shown(image_id(len(album)), found.image)

    def parse(self, response: Response) -> Sequence[Call]:
        return self.dialect.parse(response)

    def write(self, call: Call) -> Response:
        return self.dialect.write(call) if isinstance(call, ZoomCall) else Response()


@dataclass(frozen=True)
class ToolboxForm(Form):
    dialect: Toolbox
    offered: Collection[str]
    sample: str

    @property
    def _published(self) -> bool:
        return self.dialect.profile is Profile.VTC

    def plan(self, move: Move, source: Shown, index: int) -> Call | None:
        tool, given = ("crop", _whole(move.region, source.image)) if move.region else (move.tool, dict(move.arguments))
        tool = f"opencv_{tool}" if self._published else tool
        if tool not in self.offered:
            return None
        image = image_path(source.name, self.sample) if self._published else source.name
        return ToolboxCall(tool, {"image": image, "param": given} if self._published else {"image": image, **given})

    def place(self, call: Call, album: Sequence[Shown]) -> Shown | None:
        if not isinstance(call, ToolboxCall):
            return None
        name = call.arguments.get("image") or ORIGINAL
        names = [image_path(one.name, self.sample) if self._published else one.name for one in album]
        source = album[names.index(name)].image if name in names else None
        given = call.arguments.get("param") if self._published else call.arguments
        if source is None or not isinstance(given, dict):
            return None
        if call.tool.removeprefix("opencv_") not in ("crop", "zoom_in"):
            return Shown(image_id(len(album)), source)
        edges = [given.get(edge, 0) for edge in ("x", "y", "width", "height")]
        if not all(isinstance(edge, int | float) for edge in edges) or min(edges[2:]) <= 0:
            return None
        x, y, width, height = edges
        region = source.to_original((x, y, x + width, y + height))
        return Shown(image_id(len(album)), ZoomImage((width, height), region))

    def parse(self, response: Response) -> Sequence[Call]:
        return self.dialect.parse(response)

    def write(self, call: Call) -> Response:
        return self.dialect.write(call) if isinstance(call, ToolboxCall) else Response()

    def named(self, turn: Turn, sample: str) -> Sequence[tuple[str, Size]]:
        found = {name: (int(width), int(height)) for name, width, height in _NAMED.findall(turn.reply)}
        return tuple(found.items())


@dataclass(frozen=True)
class CodeForm(Form):
    """Each cell reads one image file, changes it and saves the result."""

    dialect: Thyme

    def plan(self, move: Move, source: Shown, index: int) -> Call | None:
        width, height = map(round, source.image.size)
        tool, given = ("crop", _whole(move.region, source.image)) if move.region else (move.tool, move.arguments)
        try:
            code = python_code([ToolCall(tool, given, ORIGINAL, "result")], width, height, source.name)
        except (ToolError, UnknownToolError):
            return None
        return Cell(code.replace('"result.png"', f'"/out/{re.sub(r"[^A-Za-z0-9_]", "_", move.result)}.png"').strip())

    def place(self, call: Call, album: Sequence[Shown]) -> Shown | None:
        if not isinstance(call, Cell):
            return None
        read, saved, cut = _READ.search(call.code), _SAVED.search(call.code), _CUT.search(call.code)
        source = next((one.image for one in album if read and one.name == read[1]), None)
        if source is None or saved is None:
            return None
        if cut is None:
            return Shown(saved[1], source)
        top, bottom, left, right = map(int, cut.groups())
        region = source.to_original((left, top, right, bottom))
        return Shown(saved[1], ZoomImage((right - left, bottom - top), region))

    def parse(self, response: Response) -> Sequence[Call]:
        return self.dialect.parse(response)

    def write(self, call: Call) -> Response:
        return self.dialect.write(call) if isinstance(call, Cell) else Response()


def form_of(chat: Chat, sample: str) -> tuple[Form | None, bool]:
    """Return the form of the calls in a request, and whether it offers to call. Calls of earlier turns are read even
    where no further one is offered."""
    offered = [str(tool["name"]) for tool in chat.tools]
    names = offered or [call.name for turn in chat.turns for call in turn.calls]
    if any(name.startswith("opencv_") for name in names):
        return ToolboxForm(TOOLBOX_DIALECTS["vtc"], names, sample), bool(offered)
    if names and set(names) == {"zoom_in"}:
        return ZoomForm(zoom_dialect("tools", _frame(json.dumps(list(chat.tools))))), bool(offered)
    if names:
        return ToolboxForm(TOOLBOX_DIALECTS["tools"], names, sample), bool(offered)
    for name in _BY_NAME:
        if ZOOM_DIALECTS[name].tool_name in chat.opening:
            small = FRAME_WORDS[Frame.RESIZED] in chat.opening
            return ZoomForm(ZOOM_DIALECTS["qwen2.5-vl" if name == "qwen3-vl" and small else name]), True
    if "<code>" in chat.opening:
        return CodeForm(CODE_DIALECTS["thyme"]), True
    if '"tool"' in chat.opening:
        return ZoomForm(zoom_dialect("json", _frame(chat.opening))), True
    return None, False


def list_of(chat: Chat) -> str:
    """Return the list of tools that a request wants, ``recognition`` or ``plan``; "" for an answer."""
    wanted = chat.opening.lower()
    if "name every tool" in wanted:
        return "recognition"
    return "plan" if "in order of use" in wanted else ""


def past_of(form: Form | None, chat: Chat, size: Size, sample: str) -> Past:
    """Read a conversation: which image shows which part of the original, and which call returned it."""
    path = _PATH.search(chat.opening) if isinstance(form, CodeForm) else None
    first = chat.images[0] if chat.images else None
    whole = ZoomImage.original(int(size[0]), int(size[1]), first.size if first else None)
    album = [Shown(path[0] if path else ORIGINAL, whole, first)]
    calls: list[tuple[Call, int | None]] = []
    for turn in chat.turns if form else ():
        made = form.parse(Response(turn.text, turn.calls)) if form else ()
        named, waiting = form.named(turn, sample) if form else (), list(turn.images)
        before = len(album)
        for call in made:
            shown = form.place(call, album) if form and waiting else None
            calls.append((call, len(album) if shown else None))
            if shown:
                name, full = named[len(album) - before] if len(album) - before < len(named) else (shown.name, None)
                sent = waiting.pop(0)
                image = ZoomImage(full or shown.image.size, shown.image.region, sent.size)
                album.append(Shown(name, image, sent))
        for sent in waiting:
            album.append(Shown(image_id(len(album)), ZoomImage(sent.size, whole.region), sent, located=False))
    return Past(album, calls)


def next_call(form: Form, moves: Sequence[Move], past: Past) -> tuple[Move, Call] | None:
    """Return the first move whose call the conversation does not have, None after the last one.

    Moves without a call in this form are skipped, and so are those on an image that the conversation lacks.
    """
    known, at = {ORIGINAL: 0}, 0
    for move in moves:
        source = known.get(move.source)
        if source is None:
            continue
        call = form.plan(move, past.album[source], source)
        if call is None:
            known[move.result] = source
            continue
        found = next((n for n in range(at, len(past.calls)) if past.calls[n][0] == call), None)
        if found is None:
            return move, call
        at, image = found + 1, past.calls[found][1]
        if image is not None:
            known[move.result] = image
    return None


def _frame(text: str) -> Frame:
    return next((frame for frame, words in FRAME_WORDS.items() if words in text), Frame.PIXELS)


def _inside(region: Number4, image: ZoomImage) -> Number4:
    """A region of the original in pixels of an image that shows a part of it, within that image."""
    left, top, right, bottom = image.region
    across, down = image.size[0] / (right - left), image.size[1] / (bottom - top)
    x1, y1 = max(0.0, (region[0] - left) * across), max(0.0, (region[1] - top) * down)
    x2, y2 = min(image.size[0], (region[2] - left) * across), min(image.size[1], (region[3] - top) * down)
    return x1, y1, x2, y2


def _whole(region: Number4, image: ZoomImage) -> dict[str, int]:
    """The same as whole pixels, rounded outwards."""
    x1, y1, x2, y2 = _inside(region, image)
    left, top = floor(x1), floor(y1)
    right, bottom = min(ceil(x2), round(image.size[0])), min(ceil(y2), round(image.size[1]))
    return {"x": left, "y": top, "width": max(1, right - left), "height": max(1, bottom - top)}


def said(text: str, response: Response) -> Response:
    """Return the response with what the agent says before its call."""
    return Response("\n".join(part for part in (text, response.text) if part), response.calls)
