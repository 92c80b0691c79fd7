"""Asking a detector: one request for each image, with the names to look for. What it finds is tool recognition."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotation.importers.fields import Report
from evaluation.detections import DETECTIONS, THRESHOLD, Detections, at_threshold
from evaluation.importers.detector import found_in
from evaluation.importers.interface import BoxSpace
from evaluation.runner.canonical import digest_of
from evaluation.runner.images import ImagePolicy, SentImage, sent_original
from evaluation.runner.recipe import Task
from evaluation.runner.replies import Reply
from evaluation.runner.single import SingleTurn
from evaluation.runner.turns import Request
from evaluation.schema import Coordinates

MOST_NAMES, LONGEST_NAME = 5000, 200


class DetectorError(ValueError):
    """A recipe that can't be run."""


@dataclass(frozen=True)
class DetectorRecipe:
    """Everything that can change what a detector finds, and the score that counts. ``names``: what it looks for, in the
    order in which they are sent. Raises ``DetectorError`` or ``PolicyError``."""

    model: str
    base_url: str
    names: tuple[str, ...]
    threshold: float = THRESHOLD
    images: str = "original"

    def __post_init__(self) -> None:
        ImagePolicy(self.images)
        if not 1 <= len(self.names) <= MOST_NAMES or not all(0 < len(name) <= LONGEST_NAME for name in self.names):
            raise DetectorError(f"A detector looks for 1 to {MOST_NAMES:,} names of 1 to {LONGEST_NAME} characters.")
        if not 0 <= self.threshold <= 1:
            raise DetectorError("The score threshold must be a number from 0 to 1.")

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain data, the inverse of ``from_json``."""
        return {**asdict(self), "names": list(self.names)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DetectorRecipe:
        """Return the recipe of ``to_json``. Raises ``DetectorError``."""
        try:
            return cls(**{**data, "names": tuple(data["names"])})
        except (KeyError, TypeError, ValueError) as error:
            raise DetectorError(str(error)) from error

    def digest(self) -> str:
        return digest_of(self.to_json())

    def attempt_digest(self, sha256: str) -> str:
        """The digest of an attempt on the image with this content: an equal one is not asked for again."""
        return digest_of([self.digest(), sha256])


class DetectorTurn(SingleTurn):
    """One image. Its row is that of an imported file of detections (``evaluation.importers.detector``)."""

    def __init__(self, recipe: DetectorRecipe, task: Task) -> None:
        self._recipe, self._task = recipe, task
        self._sent = sent_original(task.image, ImagePolicy(recipe.images))
        body = {"model": recipe.model, "image": self._sent.url, "names": list(recipe.names)}
        super().__init__(Request(body, {self._sent.sha256: self._sent}))

    def row(self, reply: Reply, *, cut: bool) -> dict[str, Any]:
        size = self._task.image.width, self._task.image.height
        try:
            found, unread = detections_of(json.loads(reply.text), self._sent, size, self._recipe.threshold)
        except DetectorError as error:
            return self.failure() | {"error": f"server: {error}"}
        return self.failure() | {
            "predicted_tools_recognition": list(found.tools),
            DETECTIONS: found.to_json() | ({"unread": unread} if unread else {}),
        }

    def failure(self) -> dict[str, Any]:
        sent = {"policy": self._recipe.images, "images": [{"image": "original", **self._sent.to_json()}]}
        empty = {DETECTIONS: at_threshold((), self._recipe.threshold).to_json()}
        return {"sample_id": self._task.sample, "rollout": 0, "sent": sent, **empty}


def detections_of(
    given: Mapping[str, Any], sent: SentImage, size: tuple[int, int], threshold: float
) -> tuple[Detections, int]:
    """Return the detections in a response (``evaluation.endpoints.detectors``), and the number of those that can't be
    read. ``size``: of the original image, whose pixels the boxes have. Raises ``DetectorError`` for an unknown frame.
    """
    if given["frame"] not in {kind.value for kind in Coordinates}:
        known = ", ".join(kind.value for kind in Coordinates)
        raise DetectorError(f"The frame of the detections must be one of {known}.")
    space = BoxSpace(Coordinates(given["frame"]), (sent.width, sent.height))
    if space.kind is not Coordinates.PIXEL:
        space = BoxSpace(space.kind)
    objects: Sequence[Mapping[str, Any]] = [one for one in given["detections"] if isinstance(one, Mapping)]
    pairs = [(one, one.get("box")) for one in objects]
    found = at_threshold(found_in(pairs, space, size, {}, Report("response", None)), threshold)
    return found, len(given["detections"]) - len(found.found) - found.below
