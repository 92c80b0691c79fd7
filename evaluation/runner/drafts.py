"""Requests to a model for drafts of a sample, and parsing of its response. Source: docs/drafting.md.

A model sees the image alone. Its response is one JSON object with a key for each field. A field in another form is
omitted, with the reason; a response without any usable field is malformed, and its attempt fails with that kind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.drafting import Field
from annotation.importers.fields import four_numbers
from annotation.importers.storable import storable
from annotation.schema import Box
from evaluation.runner.canonical import digest_of
from evaluation.runner.dialects.zoom import FRAME_WORDS, Frame, ZoomImage, spoken, to_pixels
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
LONGEST, LONGEST_LABEL, OPTIONS, MOST_BOXES = 2000, 200, (2, 26), 20
_FENCED = re.compile(r"\A```(?:json)?\s*\n(.*)\n```\Z", re.DOTALL)
_ASKS: Mapping[Field, str] = {
    Field.QUESTION: '"question": the question, a string',
    Field.OPTIONS: '"options": 2 to 6 different answers to choose from, a list of strings; exactly one is correct',
    Field.ANSWER: '"answer": the correct answer, a string; with options, the text of one of them',
    Field.BOXES: '"boxes": the parts of the image that show the answer, a list of [x1, y1, x2, y2] %s',
}


class DraftError(ValueError):
    """A recipe of drafts that can't be run. The message states what is allowed."""


class FieldUnread(ValueError):
    """A field of a response in another form than was asked for."""


@dataclass(frozen=True)
class DraftRecipe:
    """Everything that can change a draft. ``fields``: what is asked for; ``frame``: what the numbers of boxes count.
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

    @property
    def asks(self) -> str:
        """The keys of the response, one on a line."""
        asked = (_ASKS[one] % FRAME_WORDS[self.frame] if one is Field.BOXES else _ASKS[one] for one in self.fields)
        return "\n".join(f"- {line}" for line in asked)


class DraftTurn(SingleTurn):
    """One image. Its row has ``drafts``, from field to content, and ``unread``, from field to the reason."""

    def __init__(self, recipe: DraftRecipe, image: SourceImage, *, family: str = "") -> None:
        self._recipe = recipe
        sent = sent_original(image, ImagePolicy(recipe.images), family)
        self._image = ZoomImage.original(image.width, image.height, (sent.width, sent.height))
        values = {"fields": recipe.asks, "width": str(sent.width), "height": str(sent.height)}
        transcript = Transcript()
        transcript.say("user", recipe.prompt.rendered(values), [("", sent)])
        body = {"model": recipe.model, "messages": transcript.messages} | seeded(recipe.sampling, recipe.dropped, 0)
        super().__init__(Request(body, transcript.images))

    def row(self, reply: Reply, *, cut: bool) -> dict[str, Any]:
        if cut:
            return self.failure() | {"error": f"{MALFORMED}: The response reached the limit of tokens."}
        drafts, unread = read_drafts(reply.text, self._recipe.fields, self._recipe.frame, self._image)
        if not drafts:
            why = " ".join(dict.fromkeys(unread.values()))
            return {"drafts": {}, "unread": unread, "error": f"{MALFORMED}: {why}"}
        return {"drafts": drafts, "unread": unread}

    def failure(self) -> dict[str, Any]:
        return {"drafts": {}, "unread": {}}


def read_drafts(
    text: str, fields: Sequence[Field], frame: Frame, image: ZoomImage
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what a response drafts by field, and why the other fields are unread.

    The response behind its thoughts must be one JSON object; a code fence around it is allowed.
    """
    said = spoken(text).strip()
    fenced = _FENCED.match(said)
    try:
        found = json.loads(fenced[1] if fenced else said)
    except (ValueError, RecursionError):
        return {}, dict.fromkeys(fields, "The response is not one JSON object.")
    if not isinstance(found, dict):
        return {}, dict.fromkeys(fields, "The response is not one JSON object.")
    drafts: dict[str, Any] = {}
    unread: dict[str, str] = {}
    for one in fields:
        try:
            drafts[one.value] = _read(one, found.get(one.value), frame, image)
        except FieldUnread as problem:
            unread[one.value] = str(problem)
    return drafts, unread


def _read(one: Field, value: Any, frame: Frame, image: ZoomImage) -> Any:
    match one:
        case Field.OPTIONS:
            return _options(value)
        case Field.BOXES:
            return _boxes(value, frame, image)
    return _text(value, one.value)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST:
        raise FieldUnread(f"{name} must be a text of 1 to {LONGEST:,} characters.")
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
