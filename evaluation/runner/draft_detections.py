"""Boxes drafted by a detector: one request for each image, with the names to look for.

Source: docs/drafting.md#detectors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.drafting import Field
from annotation.schema import Box
from evaluation.detections import Detections
from evaluation.runner.canonical import digest_of
from evaluation.runner.detectors import DetectorError, DetectorRecipe, detections_of
from evaluation.runner.draft_parts import MOST_BOXES, DraftError
from evaluation.runner.images import ImagePolicy, PolicyError, SourceImage, sent_original
from evaluation.runner.replies import Reply
from evaluation.runner.single import SingleTurn
from evaluation.runner.turns import Request


@dataclass(frozen=True)
class DetectorDraftRecipe:
    """The recipe of a detector whose boxes are drafts."""

    detector: DetectorRecipe

    @property
    def fields(self) -> tuple[Field, ...]:
        return (Field.BOXES,)

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain data, the inverse of ``from_json``."""
        return {**self.detector.to_json(), "fields": [Field.BOXES.value]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DetectorDraftRecipe:
        """Return the recipe of ``to_json``. Raises ``DraftError``."""
        own = {name: value for name, value in data.items() if name != "fields"}
        try:
            return cls(DetectorRecipe.from_json(own))
        except (DetectorError, PolicyError) as error:
            raise DraftError(str(error)) from error

    def digest(self) -> str:
        return digest_of(self.to_json())

    def attempt_digest(self, sha256: str) -> str:
        """The digest of an attempt on the image with this content: an equal one is not asked for again."""
        return digest_of([self.digest(), sha256])


class DetectorDraftTurn(SingleTurn):
    """One image. Its row has ``drafts`` with boxes, and ``unread`` with the reason if there are none."""

    def __init__(self, recipe: DetectorDraftRecipe, image: SourceImage) -> None:
        self._recipe, self._image = recipe.detector, image
        self._sent = sent_original(image, ImagePolicy(self._recipe.images))
        body = {"model": self._recipe.model, "image": self._sent.url, "names": list(self._recipe.names)}
        super().__init__(Request(body, {self._sent.sha256: self._sent}))

    def row(self, reply: Reply, *, cut: bool) -> dict[str, Any]:
        size, threshold = (self._image.width, self._image.height), self._recipe.threshold
        try:
            found, unread = detections_of(json.loads(reply.text), self._sent, size, threshold)
        except DetectorError as error:
            return self.failure() | {"error": f"server: {error}"}
        return self.failure() | drafted_boxes(found, unread)

    def failure(self) -> dict[str, Any]:
        return {"drafts": {}, "unread": {}}


def drafted_boxes(found: Detections, unread: int) -> dict[str, Any]:
    """The boxes of detections as drafts, the best score first. A detector that finds nothing did not fail."""
    boxes = [
        {"box": Box(*one.box).as_list(), "label": one.tool, "score": one.score}
        for one in found.found
        if one.box is not None
    ]
    notes = [f"{unread} objects without label or score were left out."] if unread else []
    if len(boxes) > MOST_BOXES:
        notes.append(f"{len(boxes) - MOST_BOXES} boxes behind the first {MOST_BOXES} were left out.")
    if not boxes:
        notes.insert(0, f"The detector found no box with a score of at least {found.threshold:g}.")
    drafts = {Field.BOXES.value: boxes[:MOST_BOXES]} if boxes else {}
    return {"drafts": drafts, "unread": {Field.BOXES.value: " ".join(notes)} if notes else {}}
