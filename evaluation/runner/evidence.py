"""Questions to a model with another part of their image, or without it. Source: docs/evidence.md.

A model sees the question, its options, and what the condition shows: never a gold answer. All conditions have the same
prompt, so that their answers differ in the image alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.evidence import SMALL_SIDE, WITH_GOLD, Condition
from annotation.importers.fields import Number4
from annotation.marking import gettext_noop
from annotation.schema import Point
from evaluation.importers.dialogue import answer_in
from evaluation.runner.arms import pixels
from evaluation.runner.arms.catalogue import CannotApply
from evaluation.runner.canonical import digest_of
from evaluation.runner.dialects.zoom import spoken
from evaluation.runner.images import ImagePolicy, SentImage, SourceImage, sent_original, sent_picture
from evaluation.runner.replies import Reply
from evaluation.runner.sampling import seeded
from evaluation.runner.single import SingleTurn
from evaluation.runner.templates import Prompt, PromptError
from evaluation.runner.transcript import Transcript
from evaluation.runner.turns import Request

PROMPT = "evidence"
SMALL = f"fit:{SMALL_SIDE}"
MOST_TEXT = 4000
"""The maximum number of characters of an answer that is kept; its exchange keeps all."""


class EvidenceError(ValueError):
    """A recipe that can't be run. The message states what is allowed."""


@dataclass(frozen=True)
class EvidenceRecipe:
    """Everything that can change an answer. ``images``: the policy of all conditions but the reduced image. Raises
    ``EvidenceError`` or ``PolicyError``."""

    conditions: tuple[Condition, ...]
    model: str
    base_url: str
    prompt: Prompt
    sampling: Mapping[str, Any] = field(default_factory=dict)
    images: str = "original"
    dropped: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        ImagePolicy(self.images)
        if not self.conditions or len(set(self.conditions)) != len(self.conditions):
            raise EvidenceError(f"Choose conditions, each once: {', '.join(Condition)}.")

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain data, the inverse of ``from_json``."""
        return {
            "conditions": [one.value for one in self.conditions],
            "model": self.model,
            "base_url": self.base_url,
            "prompt": self.prompt.to_json(),
            "sampling": dict(self.sampling),
            "images": self.images,
            "dropped": sorted(self.dropped),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> EvidenceRecipe:
        """Return the recipe of ``to_json``. Raises ``EvidenceError``."""
        try:
            return cls(
                tuple(Condition(one) for one in data["conditions"]), data["model"], data["base_url"],
                Prompt.from_json(data["prompt"]), dict(data["sampling"]), data["images"], tuple(data["dropped"]),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError) as error:
            raise EvidenceError(f"The recipe can't be read: {error}") from error

    def digest(self) -> str:
        """SHA-256 of everything that can change an answer under any condition."""
        prompt = [self.prompt.slug, self.prompt.version, self.prompt.digest]
        kept = {name: value for name, value in self.to_json().items() if name != "conditions"}
        return digest_of(kept | {"prompt": prompt})


@dataclass(frozen=True)
class Asked:
    """A question in the form in which it is shown. ``boxes``: of the gold, in pixels of the original; ``polygons``: the
    corners of those that are around one, by position."""

    question: str
    options: Mapping[str, str]
    boxes: Sequence[Number4]
    polygons: Mapping[int, Sequence[Point]] = field(default_factory=dict)

    def prompt(self, recipe: EvidenceRecipe, image: tuple[int, int]) -> str:
        """The text that is sent. Raises ``PromptError``."""
        if self.options and "options" not in recipe.prompt.fields:
            name = f"{recipe.prompt.slug}@{recipe.prompt.version}"
            raise PromptError(f"{name} has no field {{{{ options }}}}, and this question has options.")
        listed = "".join(f"\n{letter}. {text}" for letter, text in self.options.items())
        values = {
            "question": self.question,
            "options": f"Options:{listed}\n" if listed else "",
            "image": "original",
            "width": str(image[0]),
            "height": str(image[1]),
        }
        return recipe.prompt.rendered(values)


def evidence_digest(recipe: EvidenceRecipe, condition: Condition, asked: Asked, sha256: str) -> str:
    """The digest of an attempt on the image with this content: an equal one is not asked for again."""
    shapes = [[*box, *asked.polygons.get(at, ())] for at, box in enumerate(asked.boxes)]
    gold = shapes if condition in WITH_GOLD else []
    image = "" if condition is Condition.QUESTION else sha256
    return digest_of([recipe.digest(), condition.value, asked.question, dict(asked.options), gold, image])


def shown_image(
    condition: Condition,
    image: SourceImage,
    boxes: Sequence[Number4],
    policy: str = "original",
    family: str = "",
    polygons: Mapping[int, Sequence[Point]] | None = None,
) -> SentImage | None:
    """The image of a condition in the form that is sent, None for the question alone. Raises ``CannotApply`` without
    gold boxes or their surroundings, and ``PictureProblem`` for a damaged file."""
    match condition:
        case Condition.QUESTION:
            return None
        case Condition.IMAGE:
            return sent_original(image, ImagePolicy(policy), family)
        case Condition.SMALL:
            return sent_original(image, ImagePolicy(SMALL), family)
        case Condition.CROP:
            return sent_picture(pixels.gold_region(image.picture(), boxes), ImagePolicy(policy), family)
    if not boxes:
        raise CannotApply(gettext_noop("The sample has no gold boxes."))
    return sent_picture(pixels.masked(image.picture(), boxes, polygons), ImagePolicy(policy), family)


class EvidenceTurn(SingleTurn):
    """One question under one condition. Its row has ``answer``, None if it is unread."""

    def __init__(
        self, recipe: EvidenceRecipe, condition: Condition, asked: Asked, image: SourceImage, *, family: str = ""
    ) -> None:
        sent = shown_image(condition, image, asked.boxes, recipe.images, family, asked.polygons)
        size = (sent.width, sent.height) if sent else (0, 0)
        transcript = Transcript()
        transcript.say("user", asked.prompt(recipe, size), [("", sent)] if sent else [])
        body = {"model": recipe.model, "messages": transcript.messages} | seeded(recipe.sampling, recipe.dropped, 0)
        super().__init__(Request(body, transcript.images))

    def row(self, reply: Reply, *, cut: bool) -> dict[str, Any]:
        said = spoken(reply.text).strip()
        found = answer_in(said)
        answer = (said if found is None else found).strip()[:MOST_TEXT]
        return {"answer": None if cut and found is None else answer or None}

    def failure(self) -> dict[str, Any]:
        return {"answer": None}
