"""The evidence frame of a sample: the source of its image, the drawn boxes, and the message if there is no image."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext

from annotation.imaging.pyramid import OVERLAP, TILE_SIZE
from webapp.common.box_density import density_layers

Corners = Sequence[float]


@dataclass(frozen=True, slots=True)
class Frame:
    """An image that can be shown: its addresses, and its size in original pixels."""

    slug: str
    sha256: str
    width: int
    height: int
    tile_size: int = TILE_SIZE
    tile_overlap: int = OVERLAP

    @property
    def thumbnail(self) -> str:
        return reverse("annotation:thumbnail", args=[self.slug, self.sha256])

    @property
    def tiles(self) -> str:
        return self.thumbnail.removesuffix("thumbnail.jpg") + "tiles/{level}/{column}_{row}.jpg"

    def region(self, box: Corners, side: int) -> str:
        """Address of a part of the image, its longer side ``side`` pixels (120, 240, 480 or 960)."""
        return region_address(self.slug, self.sha256, box, side)


def region_address(slug: str, sha256: str, box: Corners, side: int) -> str:
    """The part of an image that holds the box, in whole pixels."""
    left, top, right, bottom = box
    corners = f"{max(0, floor(left))},{max(0, floor(top))},{max(0, ceil(right))},{max(0, ceil(bottom))}"
    return reverse("annotation:region", args=[slug, sha256, corners, side])


@dataclass(frozen=True, slots=True)
class PictureProblem:
    """The reason why an image cannot be shown, and what to do."""

    what: str
    then: str
    failed: bool = True


def frame_of(slug: str, sample: Any) -> Frame | None:
    """The frame of a sample whose image is here and ready."""
    image = sample.image
    if image is None or image.state != image.State.READY:
        return None
    return Frame(slug, image.sha256, image.width, image.height)


def picture_problem(sample: Any) -> PictureProblem | None:
    """The problem with a sample's image; None if it can be shown."""
    image, name = sample.image, sample.image_name
    if image is None and not name and not sample.image_problem:
        return PictureProblem(
            gettext("This sample has no image."), gettext("Its file names none. Metrics don't need one."), False
        )
    if image is None:
        named = gettext("Add %(name)s at its path and import the benchmark again. Metrics don't need it.")
        nameless = gettext("Add it at its path and import the benchmark again. Metrics don't need it.")
        missing = gettext("The image is missing. %(problem)s") % {"problem": sample.image_problem}
        return PictureProblem(missing.strip(), named % {"name": name} if name else nameless)
    if image.state == image.State.WAITING:
        return PictureProblem(gettext("The image is being processed."), gettext("Reload this page in a moment."), False)
    if image.state == image.State.REMOVED:
        removed = gettext("Image removed: %(reason)s") % {"reason": image.problem}
        return PictureProblem(removed, gettext("Its file was deleted. Boxes, answers and scores stay."), False)
    if image.state == image.State.ALLOWED:
        return PictureProblem(
            gettext("The image is missing."), gettext("It was removed, and can be uploaded again."), False
        )
    if image.state == image.State.FAILED:
        unshown = gettext("The image can't be shown. %(problem)s") % {"problem": image.problem}
        return PictureProblem(unshown.strip(), gettext("Replace the file and import it again."))
    return None


class Drawn(list[float]):
    """The corners of gold evidence. ``points``: those of a polygon or a point, else empty."""

    points: Sequence[Sequence[float]] = ()


def gold_corners(sample: Any) -> list[Drawn]:
    """The gold evidence of a sample, in original pixels; none without gold."""
    gold = getattr(sample, "gold", None)
    return [drawn(shape) for shape in gold.revision.evidence] if gold else []


def drawn(shape: Any) -> Drawn:
    """A row or a record of evidence as corners."""
    found = Drawn([shape.x1, shape.y1, shape.x2, shape.y2])
    found.points = [list(point) for point in getattr(shape, "points", ())]
    return found


def marks_of(frame: Frame | None, gold: Iterable[Corners], turns: Iterable[dict[str, Any]] = ()) -> dict[str, Any]:
    """Return the drawings of static/js/elements/frame.js: gold boxes and crops."""
    looked = list(turns)
    crops = [turn["executed"] for turn in looked if turn.get("executed")]
    dense = density_layers(crops, frame.width, frame.height) if frame else []
    return {"gold": [_gold_mark(box) for box in gold], "turns": looked, "dense": dense}


def _gold_mark(box: Corners) -> dict[str, Any]:
    points = getattr(box, "points", ())
    return {"box": list(box)} | ({"points": points} if points else {})
