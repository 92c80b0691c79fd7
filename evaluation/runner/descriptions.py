"""Requests to a model that drafts the description of a scene of the building board, and parsing of its responses.

The model sees the instruction and the tools in random order, without their roles. Source: docs/building.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.building.rules import LONGEST_DESCRIPTION
from annotation.importers.storable import storable
from evaluation.runner.audits import read_object
from evaluation.runner.canonical import digest_of
from evaluation.runner.drafts import MALFORMED
from evaluation.runner.replies import Reply
from evaluation.runner.sampling import seeded
from evaluation.runner.single import SingleTurn
from evaluation.runner.templates import Prompt, load_prompt
from evaluation.runner.transcript import Transcript
from evaluation.runner.turns import Request

DESCRIBE = "describe"
"""The prompt of Sightline."""


class DescribeError(ValueError):
    """A recipe of descriptions that can't be run."""


@dataclass(frozen=True)
class DescribeRecipe:
    """Everything that can change a draft, besides the item."""

    model: str
    base_url: str
    prompt: Prompt = field(default_factory=lambda: load_prompt(DESCRIBE, "1"))
    sampling: Mapping[str, Any] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain data, the inverse of ``from_json``."""
        return {
            "model": self.model, "base_url": self.base_url, "prompt": self.prompt.to_json(),
            "sampling": dict(self.sampling), "dropped": sorted(self.dropped),
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DescribeRecipe:
        """Return the recipe of ``to_json``. Raises ``DescribeError``."""
        try:
            return cls(
                data["model"], data["base_url"], Prompt.from_json(data["prompt"]), dict(data["sampling"]),
                tuple(data["dropped"]),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError) as error:
            raise DescribeError(f"The recipe can't be read: {error}") from error

    def digest(self) -> str:
        prompt = [self.prompt.slug, self.prompt.version, self.prompt.digest]
        return digest_of(self.to_json() | {"prompt": prompt})

    def attempt_digest(self, scene: Scene) -> str:
        """The digest of an attempt at this scene: an equal one is not asked for again."""
        return digest_of([self.digest(), scene.instruction, list(scene.tools), scene.version])


@dataclass(frozen=True)
class Scene:
    """What a model describes. ``tools``: in the order shown. ``version``: of the item, so that an item that was sent
    back gets another draft."""

    instruction: str
    tools: Sequence[str]
    version: int

    @property
    def values(self) -> dict[str, str]:
        """The values of the fields of the prompt."""
        return {"instruction": self.instruction, "tools": "\n".join(f"- {tool}" for tool in self.tools)}


class DescribeTurn(SingleTurn):
    """One request about one item. Its row has ``description``; "" if it failed."""

    def __init__(self, recipe: DescribeRecipe, scene: Scene) -> None:
        transcript = Transcript()
        transcript.say("user", recipe.prompt.rendered(scene.values))
        body = {"model": recipe.model, "messages": transcript.messages}
        super().__init__(Request(body | seeded(recipe.sampling, recipe.dropped, scene.version), {}))

    def row(self, reply: Reply, *, cut: bool) -> dict[str, Any]:
        if cut:
            return self._malformed("The response reached the limit of tokens.")
        said = read_object(reply.text)
        if said is None:
            return self._malformed("The response is not one JSON object.")
        text = said.get("description")
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST_DESCRIPTION:
            return self._malformed(f"description must be a text of 1 to {LONGEST_DESCRIPTION:,} characters.")
        return {"description": str(storable(text)).strip()}

    def failure(self) -> dict[str, Any]:
        return {"description": ""}

    def _malformed(self, why: str) -> dict[str, Any]:
        return self.failure() | {"error": f"{MALFORMED}: {why}"}
