"""Requests to a model for drafts of a sample, and parsing of its response. Source: docs/drafting.md.

A model sees the image alone. Its response is one JSON object with a key for each field. A field in another form is
omitted, with the reason; a response without any usable field is malformed, and its attempt fails with that kind. A
toolchain is run before it counts, and names of a tool plan are those of the tool bank.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from annotation.drafting import OF_QUESTION, Field
from annotation.importers.fields import four_numbers
from annotation.importers.storable import storable
from annotation.schema import Box, ToolCall
from annotation.tool_bank import Bank
from evaluation.runner.canonical import digest_of
from evaluation.runner.dialects.zoom import FRAME_WORDS, Frame, ZoomImage, spoken, to_pixels
from evaluation.runner.draft_parts import (
    MOST_BOXES,
    MOST_TEXT,
    DraftError,
    FieldUnread,
    PartRead,
    chain_problem,
    read_distractors,
    read_targets,
    read_toolchain,
    tools_text,
)
from evaluation.runner.images import ImagePolicy, SourceImage, sent_original
from evaluation.runner.replies import Reply
from evaluation.runner.sampling import seeded
from evaluation.runner.single import SingleTurn
from evaluation.runner.templates import Prompt
from evaluation.runner.transcript import Transcript
from evaluation.runner.turns import Request

PROMPT = "draft"
MALFORMED = "malformed"
"""The kind of error of a response without a usable field."""
OPTIONS = (2, 26)
_FENCED = re.compile(r"\A```(?:json)?\s*\n(.*)\n```\Z", re.DOTALL)
_ASKS: Mapping[Field, str] = {
    Field.QUESTION: '"question": the question, a string',
    Field.OPTIONS: '"options": 2 to 6 different answers to choose from, a list of strings; exactly one is correct',
    Field.ANSWER: '"answer": the correct answer, a string; with options, the text of one of them',
    Field.BOXES: '"boxes": the parts of the image that show the answer, a list of [x1, y1, x2, y2] %s',
    Field.TOOLCHAIN: '"toolchain": calls of the tools below that lead from the image to its answer, a list of objects'
    ' {"tool": ..., "arguments": {...}}; a call works on the result of the one before; coordinates are pixels, and the'
    " image has %s × %s",
    Field.TARGETS: '"targets": the physical tools that the task of the question needs, a list of objects {"tool": name,'
    ' "step": number from 1}; tools of one step can be used in any order',
    Field.DISTRACTORS: '"distractors": physical tools in the image that the task does not need, a list of names',
}
Run = Callable[[Sequence[ToolCall]], str]
"""Runs a toolchain; why it does not run to its end, "" if it does."""


@dataclass(frozen=True)
class DraftRecipe:
    """Everything that can change a draft. ``fields``: those to draft; ``frame``: the unit of the numbers of boxes.
    Raises ``DraftError`` or ``PolicyError``."""

    fields: tuple[Field, ...]
    model: str
    base_url: str
    prompt: Prompt
    frame: Frame = Frame.PIXELS
    sampling: Mapping[str, Any] = field(default_factory=dict)
    images: str = "original"
    dropped: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        ImagePolicy(self.images)
        if not self.fields or len(set(self.fields)) != len(self.fields):
            raise DraftError(f"Choose fields, each once: {', '.join(Field)}.")
        if Field.QUESTION not in self.fields and any(one in OF_QUESTION for one in self.fields):
            raise DraftError("Toolchains and tool plans are drafted together with the question.")

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain data, the inverse of ``from_json``."""
        return {
            "fields": [one.value for one in self.fields],
            "model": self.model,
            "base_url": self.base_url,
            "prompt": self.prompt.to_json(),
            "frame": self.frame.value,
            "sampling": dict(self.sampling),
            "images": self.images,
            "dropped": sorted(self.dropped),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DraftRecipe:
        """Return the recipe of ``to_json``. Raises ``DraftError``."""
        try:
            return cls(
                tuple(Field(one) for one in data["fields"]), data["model"], data["base_url"],
                Prompt.from_json(data["prompt"]), Frame(data["frame"]), dict(data["sampling"]), data["images"],
                tuple(data["dropped"]),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError) as error:
            raise DraftError(f"The recipe can't be read: {error}") from error

    def digest(self) -> str:
        prompt = [self.prompt.slug, self.prompt.version, self.prompt.digest]
        return digest_of(self.to_json() | {"prompt": prompt})

    def attempt_digest(self, sha256: str) -> str:
        """The digest of an attempt on the image with this content: an equal one is not asked for again."""
        return digest_of([self.digest(), sha256])

    def asks(self, width: int, height: int) -> str:
        """The keys of the response, one on a line, and the tools of a toolchain. ``width``, ``height``: of the image,
        in pixels."""
        values: Mapping[Field, Any] = {Field.BOXES: FRAME_WORDS[self.frame], Field.TOOLCHAIN: (width, height)}
        lines = [f"- {_ASKS[one] % values.get(one, ())}" for one in self.fields]
        if Field.TOOLCHAIN in self.fields:
            lines += ["", "The tools, with their arguments; one with ? can be left out:", tools_text()]
        return "\n".join(lines)


class DraftTurn(SingleTurn):
    """One image. Its row has ``drafts``, from field to content, ``unread``, from field to the reason, and
    ``new_tools``, from field to names that the tool bank lacks.

    ``bank``: the tools that a plan can name. ``run``: of a drafted toolchain, by default on the image.
    """

    def __init__(
        self,
        recipe: DraftRecipe,
        image: SourceImage,
        *,
        family: str = "",
        bank: Bank | None = None,
        run: Callable[[SourceImage, Sequence[ToolCall]], str] = chain_problem,
    ) -> None:
        self._recipe, self._bank = recipe, bank or Bank()
        self._run: Run = partial(run, image)
        sent = sent_original(image, ImagePolicy(recipe.images), family)
        self._image = ZoomImage.original(image.width, image.height, (sent.width, sent.height))
        asked = recipe.asks(image.width, image.height)
        values = {"fields": asked, "width": str(sent.width), "height": str(sent.height)}
        transcript = Transcript()
        transcript.say("user", recipe.prompt.rendered(values), [("", sent)])
        body = {"model": recipe.model, "messages": transcript.messages} | seeded(recipe.sampling, recipe.dropped, 0)
        super().__init__(Request(body, transcript.images))

    def row(self, reply: Reply, *, cut: bool) -> dict[str, Any]:
        if cut:
            return self.failure() | {"error": f"{MALFORMED}: The response reached the limit of tokens."}
        reader = Reader(self._recipe.frame, self._image, self._run, self._bank)
        read = read_drafts(reply.text, self._recipe.fields, reader)
        if not read.drafts:
            why = " ".join(dict.fromkeys(read.unread.values()))
            return {"drafts": {}, "unread": read.unread, "error": f"{MALFORMED}: {why}"}
        return {"drafts": read.drafts, "unread": read.unread, "new_tools": read.new_tools}

    def failure(self) -> dict[str, Any]:
        return {"drafts": {}, "unread": {}}


@dataclass(frozen=True)
class Reader:
    """What reading a response needs: the frame and the image of boxes, the run of toolchains, and the tool bank."""

    frame: Frame
    image: ZoomImage
    run: Run
    bank: Bank = field(default_factory=Bank)

    def read(self, one: Field, value: Any, drafts: Mapping[str, Any]) -> PartRead:
        """Return a field of a response; ``drafts``: the fields before it. Raises ``FieldUnread``."""
        match one:
            case Field.OPTIONS:
                return PartRead(_options(value))
            case Field.BOXES:
                return PartRead(_boxes(value, self.frame, self.image))
            case Field.TOOLCHAIN:
                return read_toolchain(value, self.run)
            case Field.TARGETS:
                return read_targets(value, self.bank)
            case Field.DISTRACTORS:
                return read_distractors(value, self.bank, drafts.get(Field.TARGETS.value, ()))
        return PartRead(_text(value, one.value))


@dataclass(frozen=True)
class Response:
    """What was read of a response, by field: drafts, the reasons why a field or a part of it is unread, and names that
    the tool bank lacks."""

    drafts: dict[str, Any] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    new_tools: dict[str, list[str]] = field(default_factory=dict)


def read_drafts(text: str, fields: Sequence[Field], reader: Reader) -> Response:
    """Return what a response drafts.

    The response behind its thoughts must be one JSON object; a code fence around it is allowed.
    """
    said = spoken(text).strip()
    fenced = _FENCED.match(said)
    try:
        found = json.loads(fenced[1] if fenced else said)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return Response(unread=dict.fromkeys(fields, "The response is not one JSON object."))
    read = Response()
    for one in fields:
        try:
            part = reader.read(one, found.get(one.value), read.drafts)
        except FieldUnread as problem:
            part = PartRead(None, str(problem), problem.new_tools)
        if part.content is not None:
            read.drafts[one.value] = part.content
        if part.note:
            read.unread[one.value] = part.note
        if part.new_tools:
            read.new_tools[one.value] = list(part.new_tools)
    if Field.QUESTION.value not in read.drafts:
        for one in OF_QUESTION:
            read.new_tools.pop(one.value, None)
            if read.drafts.pop(one.value, None) is not None:
                read.unread[one.value] = "The question that it is about is unread."
    return read


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > MOST_TEXT:
        raise FieldUnread(f"{name} must be a text of 1 to {MOST_TEXT:,} characters.")
    return str(storable(" ".join(value.split())))


def _options(value: Any) -> dict[str, str]:
    least, most = OPTIONS
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise FieldUnread(f"options must be a list of {least} to {most} texts.")
    texts = [_text(one, "An option") for one in value]
    if len({text.casefold() for text in texts}) < len(texts):
        raise FieldUnread("Two options are equal.")
    return {chr(ord("A") + place): text for place, text in enumerate(texts)}


def _boxes(value: Any, frame: Frame, image: ZoomImage) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_BOXES:
        raise FieldUnread(f"boxes must be a list of 1 to {MOST_BOXES} boxes.")
    return [{"box": _box(one, frame, image)} for one in value]


def _box(value: Any, frame: Frame, image: ZoomImage) -> list[float]:
    numbers = four_numbers(value)
    if numbers is None:
        raise FieldUnread("A box must be four numbers x1, y1, x2, y2.")
    x1, y1, x2, y2 = (float(number) for number in numbers)
    try:
        box = Box(*to_pixels((x1, y1, x2, y2), frame, image)).clipped(*image.size)
    except ValueError:
        box = None
    if box is None:
        raise FieldUnread("A box is empty or outside the image.")
    return box.as_list()
