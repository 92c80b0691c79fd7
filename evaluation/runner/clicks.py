"""Shapes at a point of an image: the request to an ML backend or a detector, and the best shape of the response.

Source: docs/drafting.md#shapes-from-a-click.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.schema import Point
from annotation.task_schema import Shape
from evaluation.runner.detectors import DetectorError, detections_of
from evaluation.runner.draft_detections import DetectorDraftRecipe
from evaluation.runner.images import ImagePolicy, SentImage, SourceImage, sent_original
from evaluation.runner.label_config import click_context, data_key, predict_body
from evaluation.runner.ml_backend import BackendRecipe, read_regions
from evaluation.runner.turns import Request

ClickRecipe = BackendRecipe | DetectorDraftRecipe


class ClickUnread(ValueError):
    """A response in another form than was asked for."""


def policy_of(recipe: ClickRecipe) -> ImagePolicy:
    """The size of the images that are sent."""
    return ImagePolicy(recipe.images if isinstance(recipe, BackendRecipe) else recipe.detector.images)


class Click:
    """One click on an image. ``point``: in pixels of the original. ``allowed``: the shapes that it can give."""

    def __init__(self, recipe: ClickRecipe, image: SourceImage, point: Point, allowed: frozenset[Shape]) -> None:
        self._recipe, self._point, self._allowed = recipe, point, allowed
        self._size = (image.width, image.height)
        self._sent = sent_original(image, policy_of(recipe))
        self.request = Request(self._body(), {self._sent.sha256: self._sent})
        self.version = ""

    @property
    def sent(self) -> SentImage:
        return self._sent

    def _body(self) -> dict[str, Any]:
        recipe, sent = self._recipe, self._sent
        if isinstance(recipe, DetectorDraftRecipe):
            return {"model": recipe.detector.model, "image": sent.url, "names": list(recipe.detector.names)}
        x, y = (100 * at / whole for at, whole in zip(self._point, self._size, strict=True))
        context = click_context(recipe.label_config, (x, y), (sent.width, sent.height))
        # Equal for equal images.
        task, key = int(sent.sha256[:7], 16), data_key(recipe.label_config)
        return predict_body(recipe.project, recipe.label_config, task, {key: sent.url}, context)

    def shape(self, text: str) -> dict[str, Any] | None:
        """The best shape of a response that contains the point, with label and score; None if none does. A polygon has
        ``points``. Raises ``ClickUnread``."""
        return best_at(self._point, self._found(json.loads(text)), self._allowed)

    def _found(self, given: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        recipe = self._recipe
        if isinstance(recipe, BackendRecipe):
            regions = read_regions(given, self._size, recipe.threshold, shapes=self._allowed)
            self.version = regions.version
            return regions.boxes
        try:
            found, _ = detections_of(given, self._sent, self._size, recipe.detector.threshold)
        except DetectorError as error:
            raise ClickUnread(str(error)) from error
        boxes = [one for one in found.found if one.box is not None]
        return [{"box": list(one.box or ()), "label": one.tool, "score": one.score} for one in boxes]


def best_at(
    point: Point, found: Sequence[Mapping[str, Any]], allowed: frozenset[Shape]
) -> dict[str, Any] | None:  # fmt: skip
    """The shape with the best score of those that contain the point, and the smallest of equal ones; None without any.

    A polygon where the task allows none, and allows boxes, is its bounding box.
    """
    fitting = []
    for one in found:
        shape = dict(one)
        if "points" in shape and Shape.POLYGON not in allowed:
            del shape["points"]
        if "points" not in shape and Shape.BOX not in allowed:
            continue
        if contains(shape, point):
            fitting.append(shape)
    return min(fitting, key=lambda one: (-(one["score"] or 0.0), _area(one["box"])), default=None)


def contains(shape: Mapping[str, Any], point: Point) -> bool:
    """Whether a shape contains a point; the edges of a box are inside. Of a polygon, a horizontal ray crosses an odd
    number of sides."""
    (x, y), (x1, y1, x2, y2) = point, shape["box"]
    if not (x1 <= x <= x2 and y1 <= y <= y2):
        return False
    corners = shape.get("points")
    if corners is None:
        return True
    crossed = 0
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if (ay > y) is not (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
            crossed += 1
    return crossed % 2 == 1


def _area(box: Sequence[float]) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
