"""Drafts of an ML backend of Label Studio: one request for each image, and what its regions are here.

Source: docs/drafting.md#ml-backends; the values of regions are those of Label Studio's JSON of predictions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeGuard

import numpy as np

from annotation.drafting import Field
from annotation.imaging.brush import Mask, MaskError, read_brush
from annotation.imaging.outlines import trace
from annotation.importers.storable import storable
from annotation.schema import Box, Outline, OutlineKind, Point, shortened
from annotation.task_schema import Shape
from evaluation.runner.canonical import digest_of
from evaluation.runner.draft_parts import MOST_BOXES, MOST_TEXT, DraftError
from evaluation.runner.images import ImagePolicy, SourceImage, sent_original
from evaluation.runner.label_config import ConfigRejected, data_key, predict_body
from evaluation.runner.replies import Reply
from evaluation.runner.single import SingleTurn
from evaluation.runner.turns import Request

FIELDS = (Field.BOXES, Field.ANSWER)
"""The fields that a backend can draft."""
RECTANGLES, POLYGONS, BRUSHES = ("rectanglelabels", "rectangle"), ("polygonlabels", "polygon"), ("brushlabels", "brush")
POINTS = ("keypointlabels", "keypoint")
TEXTS = ("choices", "textarea")
_WITH_OUTLINES = (Shape.BOX, Shape.POLYGON)
_ASPECT = 0.02
"""Relative difference of two aspect ratios up to which they are of the same image."""


@dataclass(frozen=True)
class BackendRecipe:
    """Everything that can change the drafts of a backend. ``label_config``: the labeling configuration; ``threshold``:
    the least score of a region that has one; ``project``: the id of the benchmark. ``shapes``: that drafts can have;
    ``most``: of a draft. Raises ``DraftError`` or ``PolicyError``."""

    fields: tuple[Field, ...]
    model: str
    base_url: str
    label_config: str
    threshold: float = 0.0
    images: str = "original"
    project: str = "1.0"
    shapes: tuple[Shape, ...] = (Shape.BOX,)
    most: int = MOST_BOXES

    def __post_init__(self) -> None:
        ImagePolicy(self.images)
        if not self.fields or set(self.fields) - set(FIELDS) or len(set(self.fields)) != len(self.fields):
            raise DraftError("An ML backend drafts boxes and answers.")
        if not 0 <= self.threshold <= 1:
            raise DraftError("The score must be a number from 0 to 1.")
        try:
            data_key(self.label_config)
        except ConfigRejected as error:
            raise DraftError(str(error)) from error

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain data, the inverse of ``from_json``. It has the digest of earlier releases, whose
        recipes were about boxes alone, or had ``outlines`` for boxes and polygons."""
        said = {**asdict(self), "fields": [one.value for one in self.fields]}
        del said["shapes"]
        if self.most == MOST_BOXES:
            del said["most"]
        if self.shapes == _WITH_OUTLINES:
            return {**said, "outlines": True}
        return said if self.shapes == (Shape.BOX,) else {**said, "shapes": [one.value for one in self.shapes]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BackendRecipe:
        """Return the recipe of ``to_json``. Raises ``DraftError``."""
        given = dict(data)
        try:
            shapes = _WITH_OUTLINES if given.pop("outlines", False) else given.pop("shapes", (Shape.BOX,))
            fields = tuple(Field(one) for one in given.pop("fields"))
            return cls(fields=fields, shapes=tuple(map(Shape, shapes)), **given)
        except (KeyError, TypeError, ValueError) as error:
            raise DraftError(f"The recipe can't be read: {error}") from error

    def digest(self) -> str:
        return digest_of(self.to_json())

    def attempt_digest(self, sha256: str) -> str:
        """The digest of an attempt on the image with this content: an equal one is not asked for again."""
        return digest_of([self.digest(), sha256])


class BackendTurn(SingleTurn):
    """One image. Its row has ``drafts``, ``unread`` and ``sources``, by field."""

    def __init__(self, recipe: BackendRecipe, image: SourceImage) -> None:
        self._recipe, self._image = recipe, image
        sent = sent_original(image, ImagePolicy(recipe.images))
        # Equal for equal images, so that their attempts are equal.
        task, key = int(image.sha256[:7], 16), data_key(recipe.label_config)
        body = predict_body(recipe.project, recipe.label_config, task, {key: sent.url})
        super().__init__(Request(body, {sent.sha256: sent}))

    def row(self, reply: Reply, *, cut: bool) -> dict[str, Any]:
        recipe, size = self._recipe, (self._image.width, self._image.height)
        found = read_regions(json.loads(reply.text), size, recipe.threshold, shapes=recipe.shapes, most=recipe.most)
        return self.failure() | found.row(recipe.fields, recipe.model)

    def failure(self) -> dict[str, Any]:
        return {"drafts": {}, "unread": {}, "sources": {}}


@dataclass
class Regions:
    """What a response contains: boxes with label and score, answers with their scores, the version of the model, and
    notes on what was left out. Boxes of polygons and points have their ``points``. ``shapes``: that are allowed;
    ``most``: of one mask, and of a draft."""

    version: str = ""
    boxes: list[dict[str, Any]] = field(default_factory=list)
    answers: list[tuple[str, float | None]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    shapes: Collection[Shape] = (Shape.BOX,)
    most: int = MOST_BOXES

    def row(self, fields: Sequence[Field], model: str) -> dict[str, Any]:
        """The drafts of these fields. A field without anything is no failure: the note says so."""
        if len(self.boxes) > self.most and Field.BOXES in fields:
            self.notes.append(f"{len(self.boxes) - self.most} shapes behind the first {self.most} were left out.")
        notes = " ".join(dict.fromkeys(self.notes))[:2000]
        source = f"{model} {self.version}".strip()
        drafts: dict[str, Any] = {}
        unread: dict[str, str] = {}
        sources: dict[str, str] = {}
        for one in fields:
            found = self.boxes if one is Field.BOXES else self.answers
            if not found:
                unread[one.value] = f"The backend found no {one.value}. {notes}".strip()
                continue
            if one is Field.BOXES:
                drafts[one.value], sources[one.value] = self.boxes[: self.most], source
            else:
                text, score = max(self.answers, key=lambda each: -1.0 if each[1] is None else each[1])
                drafts[one.value] = text
                sources[one.value] = source if score is None else f"{source}, score {score:.2f}"
            if notes:
                unread[one.value] = notes
        return {"drafts": drafts, "unread": unread, "sources": {name: text[:200] for name, text in sources.items()}}


def read_regions(
    given: Mapping[str, Any], size: tuple[int, int], threshold: float, *,
    shapes: Collection[Shape] = (Shape.BOX,), most: int = MOST_BOXES,
) -> Regions:  # fmt: skip
    """Read the predictions of one task. ``size``: of the original image, in pixels. ``shapes``: that the task allows;
    ``most``: of one mask, and of a draft. What can't be read is noted, and the rest counts. Boxes are in pixels of the
    original, the best score first."""
    found = Regions(_word(given.get("model_version")), shapes=shapes, most=most)
    for prediction in _predictions(given.get("results")):
        if not isinstance(prediction, Mapping) or not isinstance(prediction.get("result"), list):
            found.notes.append("A prediction has no list result.")
            continue
        found.version = _word(prediction.get("model_version")) or found.version
        for region in prediction["result"]:
            try:
                _take(region, _score(prediction.get("score")), size, threshold, found)
            except RegionUnread as problem:
                found.notes.append(str(problem))
    found.boxes.sort(key=lambda one: -1.0 if one["score"] is None else one["score"], reverse=True)
    return found


class RegionUnread(ValueError):
    """A region in a form that is not read."""


def _predictions(results: Any) -> Iterator[Any]:
    """The predictions of the only task: one, or a list of several."""
    for one in results if isinstance(results, list) else ():
        yield from one if isinstance(one, list) else [one]


def _take(region: Any, whole: float | None, size: tuple[int, int], threshold: float, found: Regions) -> None:
    if not isinstance(region, Mapping) or not isinstance(region.get("value"), Mapping):
        raise RegionUnread("A region is no object with a value.")
    kind, value = str(region.get("type", "")).lower(), region["value"]
    score = _score(region.get("score"))
    score = whole if score is None else score
    if score is not None and score < threshold:
        return
    if kind in TEXTS:
        found.answers.append((_text(value, kind), score))
        return
    said: dict[str, Any] = {"label": _label(value, kind), "score": score}
    found.boxes += [_drafted(one) | said for one in _shapes(region, kind, value, size, found)]


def _drafted(shape: Box) -> dict[str, Any]:
    if not isinstance(shape, Outline):
        return {"box": shape.as_list()}
    return {"box": [shape.x1, shape.y1, shape.x2, shape.y2], "points": [list(point) for point in shape.points]}


def _shapes(
    region: Mapping[str, Any], kind: str, value: Mapping[str, Any], size: tuple[int, int], found: Regions
) -> list[Box]:
    """The shapes of a region in the form that the task allows. Raises ``RegionUnread``."""
    _check_image(region, size)
    if kind in POINTS:
        return [_point(value, size, found.shapes)]
    if Shape.POLYGON in found.shapes and kind in (*POLYGONS, *BRUSHES):
        return [_polygon(_points(value, size), size)] if kind in POLYGONS else _painted(region, value, size, found)
    if Shape.BOX in found.shapes:
        return [_box(region, kind, value, size, found.notes)]
    raise RegionUnread(f"A region of type {shortened(kind, 40)!r} was left out, because the task does not allow boxes.")


def _point(value: Mapping[str, Any], size: tuple[int, int], allowed: Collection[Shape]) -> Outline:
    """A key point in pixels of the original. Raises ``RegionUnread``."""
    if Shape.POINT not in allowed:
        raise RegionUnread("A point was left out, because the task does not allow points.")
    x, y = value.get("x"), value.get("y")
    if not (_is_number(x) and _is_number(y)):
        raise RegionUnread("A key point needs the numbers x and y in percent.")
    point = Outline.of(OutlineKind.POINT, [(x * size[0] / 100, y * size[1] / 100)])
    if not point.is_inside(*size):
        raise RegionUnread("A key point is outside the image.")
    return point


def _polygon(points: Sequence[Point], size: tuple[int, int]) -> Outline:
    """The part of a polygon inside the image, in pixels of the original. Raises ``RegionUnread``."""
    try:
        outline = Outline.of(OutlineKind.POLYGON, points).clipped(*size)
    except ValueError:
        outline = None
    if outline is None:
        raise RegionUnread("A polygon is empty, outside the image, or has too many points.")
    return outline


def _box(
    region: Mapping[str, Any], kind: str, value: Mapping[str, Any], size: tuple[int, int], notes: list[str]
) -> Box:
    """The bounding box of a region in pixels of the original. Raises ``RegionUnread``."""
    if kind in RECTANGLES:
        points = _corners(value, size)
        if value.get("rotation"):
            notes.append("A rotated rectangle became its bounding box.")
    elif kind in POLYGONS:
        points = _points(value, size)
        notes.append("A polygon became its bounding box.")
    elif kind in BRUSHES:
        points = _corners_of_paint(_mask(region, value), size)
        notes.append("A brush mask became its bounding box.")
    else:
        raise RegionUnread(f"Regions of type {shortened(kind, 40)!r} are not read.")
    xs, ys = zip(*points, strict=True)
    try:
        box = Box(min(xs), min(ys), max(xs), max(ys)).clipped(*size)
    except ValueError:
        box = None
    if box is None:
        raise RegionUnread("A region is empty or outside the image.")
    return box


def _check_image(region: Mapping[str, Any], size: tuple[int, int]) -> None:
    if region.get("image_rotation"):
        raise RegionUnread("A region is of a rotated image.")
    width, height = region.get("original_width"), region.get("original_height")
    if not (_is_number(width) and _is_number(height) and width > 0 and height > 0):
        return
    wanted = size[0] / size[1]
    if abs(width / height - wanted) > wanted * _ASPECT + 1 / min(width, height):
        raise RegionUnread(f"A region is of an image of {width:g} × {height:g} pixels, which has another shape.")


def _corners(value: Mapping[str, Any], size: tuple[int, int]) -> list[tuple[float, float]]:
    """The corners of a rectangle in percent, rotated clockwise around its first one by ``rotation`` degrees."""
    numbers = [value.get(name) for name in ("x", "y", "width", "height")]
    turn = value.get("rotation") or 0
    if not all(map(_is_number, [*numbers, turn])):
        raise RegionUnread("A rectangle needs the numbers x, y, width and height in percent.")
    left, top, wide, high = (float(one or 0) * size[at % 2] / 100 for at, one in enumerate(numbers))
    cosine, sine = (math.cos(math.radians(turn)), math.sin(math.radians(turn))) if turn else (1.0, 0.0)
    corners = ((0.0, 0.0), (wide, 0.0), (0.0, high), (wide, high))
    return [(left + x * cosine - y * sine, top + x * sine + y * cosine) for x, y in corners]


def _points(value: Mapping[str, Any], size: tuple[int, int]) -> list[tuple[float, float]]:
    points = value.get("points")
    if not isinstance(points, list) or len(points) < 3 or not all(map(_is_point, points)):
        raise RegionUnread("A polygon needs a list of at least 3 points in percent.")
    return [(x * size[0] / 100, y * size[1] / 100) for x, y in points]


def _is_point(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))


def _mask(region: Mapping[str, Any], value: Mapping[str, Any]) -> Mask:
    """The mask of a region, in pixels of the image that the backend saw. Raises ``RegionUnread``."""
    width, height = region.get("original_width"), region.get("original_height")
    if not isinstance(width, int) or not isinstance(height, int) or value.get("format", "rle") != "rle":
        raise RegionUnread("A brush mask needs the format rle, original_width and original_height.")
    try:
        return read_brush(value.get("rle"), width, height)
    except MaskError as error:
        raise RegionUnread(str(error)) from None


def _corners_of_paint(mask: Mask, size: tuple[int, int]) -> list[tuple[float, float]]:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    across, down = size[0] / mask.shape[1], size[1] / mask.shape[0]
    first, last = (columns[0], rows[0]), (columns[-1] + 1, rows[-1] + 1)
    return [(float(x * across), float(y * down)) for x, y in (first, last)]


def _painted(region: Mapping[str, Any], value: Mapping[str, Any], size: tuple[int, int], found: Regions) -> list[Box]:
    """Polygons around the painted areas of a mask, in pixels of the original. Raises ``RegionUnread``."""
    try:
        traced = trace(_mask(region, value), size, most=found.most)
    except MaskError as problem:
        raise RegionUnread(str(problem)) from None
    if len(traced.outlines) > 1 or traced.filled or traced.left_out:
        found.notes.append(f"A brush mask became {traced}.")
    return list(traced.outlines)


def _label(value: Mapping[str, Any], kind: str) -> str:
    labels = value.get(kind, value.get("labels"))
    first = labels[0] if isinstance(labels, list) and labels else labels
    return _word(first)


def _text(value: Mapping[str, Any], kind: str) -> str:
    given = value.get("choices" if kind == "choices" else "text")
    parts = given if isinstance(given, list) else [given]
    # A choice in a tree is the list of its ancestors and itself.
    words = [one[-1] if isinstance(one, list) and one else one for one in parts]
    text = " ".join(", ".join(one for one in words if isinstance(one, str)).split())
    if not text or len(text) > MOST_TEXT:
        raise RegionUnread(f"{kind} needs a text of 1 to {MOST_TEXT:,} characters.")
    return str(storable(text))


def _word(value: object) -> str:
    return str(storable(" ".join(value.split())))[:100] if isinstance(value, str) else ""


def _score(value: object) -> float | None:
    return float(value) if _is_number(value) and 0 <= value <= 1 else None


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
