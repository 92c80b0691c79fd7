"""One attempt of an arm: the changed trajectory is sent once, and its answer becomes a trajectory under a condition."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluation.importers.dialogue import answer_in
from evaluation.runner.arms.catalogue import Arm, Estimand
from evaluation.runner.arms.text import MARKER
from evaluation.runner.arms.view import Changed, Recorded, changed
from evaluation.runner.canonical import digest_of
from evaluation.runner.replies import Reply
from evaluation.runner.sampling import seeded
from evaluation.runner.single import SingleTurn
from evaluation.runner.turns import Request

END = "</answer>"
VERSION = 1
"""Raised when an arm changes trajectories in another way: its attempts are then asked for again."""


class ArmRecipeError(ValueError):
    """A recipe that can't be read. The message states why."""


@dataclass(frozen=True)
class ArmRecipe:
    """Everything besides trajectory and arm that can change a response. ``continued``: parameters that make the
    endpoint continue a last message of the assistant; ``sampling`` as sent, its seed plus the number of the draw;
    ``checkpoint`` as in ``Recipe``."""

    model: str
    base_url: str
    estimand: Estimand
    sampling: Mapping[str, Any] = field(default_factory=dict)
    continued: Mapping[str, Any] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    checkpoint: str = ""

    def sampled(self, seed: int) -> dict[str, Any]:
        """Return the parameters of a draw as sent."""
        return seeded(self.sampling, self.dropped, seed)

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain data, the inverse of ``from_json``."""
        return {
            "model": self.model,
            "base_url": self.base_url,
            "estimand": self.estimand.value,
            "sampling": dict(self.sampling),
            "continued": dict(self.continued),
            "dropped": sorted(self.dropped),
            "version": VERSION,
            **({"checkpoint": self.checkpoint} if self.checkpoint else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ArmRecipe:
        """Return the recipe of ``to_json``. Raises ``ArmRecipeError``."""
        try:
            return cls(
                model=data["model"],
                base_url=data["base_url"],
                estimand=Estimand(data["estimand"]),
                sampling=dict(data["sampling"]),
                continued=dict(data["continued"]),
                dropped=tuple(data["dropped"]),
                checkpoint=str(data.get("checkpoint", "")),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ArmRecipeError(f"The recipe can't be read: {error}") from error

    def digest(self) -> str:
        """Return the SHA-256 of the recipe."""
        return digest_of(self.to_json())


def arm_digest(recipe: ArmRecipe, recorded: Recorded, arm: Arm, seed: int) -> str:
    """Return the digest of an attempt: the recipe, all that is repeated, the arm and the number of the draw."""
    return digest_of([recipe.digest(), recorded.digest, str(arm), seed])


class ArmTurn(SingleTurn):
    """One draw under an arm. Raises ``CannotApply`` if the arm has nothing to change. The row is a trajectory without
    steps, whose condition is the name of the arm and whose rollout is the number of the draw."""

    def __init__(self, recipe: ArmRecipe, recorded: Recorded, arm: Arm, seed: int, family: str = "") -> None:
        self._recipe, self._recorded, self._arm, self._seed = recipe, recorded, arm, seed
        self._sent: Changed = changed(arm, recorded, seed, family)
        messages = [dict(message) for message in self._sent.messages]
        body: dict[str, Any] = {"model": recipe.model, "messages": messages} | recipe.sampled(seed)
        if self._sent.prefix:
            messages.append({"role": "assistant", "content": self._sent.prefix})
            body |= {**recipe.continued, "stop": [END]}
        super().__init__(Request(body, dict(self._sent.images)))

    def row(self, reply: Reply, *, cut: bool) -> dict[str, Any]:
        said = self._sent.prefix + reply.text.removeprefix(self._sent.prefix) if self._sent.prefix else reply.said
        if self._sent.prefix and END not in said[len(self._sent.prefix) :] and not cut:
            said = f"{said}{END}"
        return self.failure() | {"answer": None if cut and answer_in(said) is None else self._restored(said)}

    def failure(self) -> dict[str, Any]:
        images = [image.to_json() for image in self._sent.images.values()]
        return {
            "sample_id": self._recorded.sample,
            "rollout": self._seed,
            "condition": str(self._arm),
            "answer": None,
            "sent": {"images": images},
            "rebuilt": self._recorded.rebuilt,
        }

    def _restored(self, said: str) -> str:
        """The response with the letter that a rotated option had before."""
        answer = answer_in(said)
        letter = re.match(r"\W*([A-H])\b", answer or "")
        before = self._sent.letters.get(letter[1]) if letter else None
        return f"{said.partition(MARKER)[0]}{MARKER}{before}{END}" if before else said
