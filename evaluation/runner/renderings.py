"""Requests for images of scenes, and decoding of what comes back within the limits of uploads."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from annotation.imaging.decoding import decode
from annotation.imaging.problems import PictureProblem
from evaluation.runner.canonical import digest_of
from evaluation.runner.drafts import MALFORMED
from evaluation.runner.replies import Reply
from evaluation.runner.single import SingleTurn
from evaluation.runner.turns import Request

SIZES = ("1024x1024", "1536x1024", "1024x1536", "512x512", "256x256")
LARGEST_SEED = 2**31 - 1


class RenderError(ValueError):
    """A recipe of images that can't be run. The message states what is allowed."""


@dataclass(frozen=True)
class RenderRecipe:
    """Everything that can change an image, besides its description and its seed. Raises ``RenderError``.

    ``size``: width and height in pixels, as sent. ``seed``: from which that of each image is made.
    """

    model: str
    base_url: str
    size: str = SIZES[0]
    seed: int = 0
    seeded: bool = True

    def __post_init__(self) -> None:
        if self.size not in SIZES:
            raise RenderError(f"Choose a size: {', '.join(SIZES)}.")
        if not 0 <= self.seed <= LARGEST_SEED:
            raise RenderError(f"The seed must be from 0 to {LARGEST_SEED}.")

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain data, the inverse of ``from_json``."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RenderRecipe:
        """Return the recipe of ``to_json``. Raises ``RenderError``."""
        try:
            return cls(**data)
        except (KeyError, TypeError) as error:
            raise RenderError(f"The recipe can't be read: {error}") from error

    def digest(self) -> str:
        return digest_of(self.to_json())

    def seed_of(self, item: int, version: int) -> int:
        """The seed of an item in a version, so that an image that was rejected is not generated again."""
        drawn = sha256(f"{self.seed}/{item}/{version}".encode()).digest()
        return int.from_bytes(drawn[:4], "big") & LARGEST_SEED

    def attempt_digest(self, prompt: str, seed: int) -> str:
        """The digest of an attempt. Without a seed, each one is different."""
        return digest_of([self.digest(), prompt, seed])


class RenderTurn(SingleTurn):
    """One image of a description. Its row has ``image``, the file in Base64; "" if it failed."""

    def __init__(self, recipe: RenderRecipe, prompt: str, seed: int) -> None:
        body = {"model": recipe.model, "prompt": prompt, "n": 1, "size": recipe.size, "response_format": "b64_json"}
        super().__init__(Request(body | ({"seed": seed} if recipe.seeded else {}), {}))

    def row(self, reply: Reply, *, cut: bool) -> dict[str, Any]:
        try:
            decode(base64.b64decode(reply.text, validate=True))
        except (binascii.Error, ValueError):
            return self.failure() | {"error": f"{MALFORMED}: The image is not in Base64."}
        except PictureProblem as problem:
            return self.failure() | {"error": f"{MALFORMED}: {problem}"}
        return {"image": reply.text}

    def failure(self) -> dict[str, Any]:
        return {"image": ""}
