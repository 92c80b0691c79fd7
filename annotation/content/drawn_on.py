"""The image that evidence was drawn on, and the evidence in pixels of another image of that sample.

After a sample got another image, its earlier evidence is in pixels of the earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.content.json import BoxName, content_to_json
from annotation.content.rescaling import Fit, Size, fit_of, rescaled, rescaled_boxes
from annotation.content.revisions import content_of, facets_in, revision_json
from annotation.models import ImageReplacement, Revision, Sample
from annotation.schema import Box, SampleContent


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawing on the image that a sample had at time ``at``. ``key``: an identifier; ``now``: size of its image."""

    key: Any
    sample: int
    at: datetime | None
    now: Size | None


def sizes_drawn_on(replaced: QuerySet[ImageReplacement], drawn: Iterable[Drawn]) -> dict[Any, Size | None]:
    """Return the size of the image that each was drawn on, by key: of the first image that was replaced after that
    time, or of the image that the sample has. None: unknown. One query.
    """
    until: dict[int, list[tuple[datetime, Size]]] = {}
    rows = replaced.order_by("replaced_at", "pk")
    for sample, at, width, height in rows.values_list("sample", "replaced_at", "image__width", "image__height"):
        until.setdefault(sample, []).append((at, (width, height)))
    sizes: dict[Any, Size | None] = {}
    for one in drawn:
        earlier = (size for at, size in until.get(one.sample, ()) if one.at is not None and one.at < at)
        sizes[one.key] = next(earlier, one.now)
    return sizes


def in_pixels_of(content: SampleContent, drawn: Size | None, other: Size | None) -> SampleContent | None:
    """Return the content in pixels of the other image. None for images of different shape: their pixels don't
    correspond. Sizes that are unknown are taken as equal.
    """
    if drawn is None or other is None or drawn == other or not (content.gold_boxes or content.reference_toolchain):
        return content
    return None if fit_of(drawn, other) is Fit.OTHER else rescaled(content, drawn, other)


def boxes_in_pixels_of(boxes: Sequence[Box], drawn: Size | None, other: Size | None) -> Sequence[Box] | None:
    """The same for boxes alone."""
    if drawn is None or other is None or drawn == other:
        return boxes
    return None if fit_of(drawn, other) is Fit.OTHER else rescaled_boxes(boxes, drawn, other)


@dataclass(frozen=True, slots=True)
class Shown:
    """A content on the image that its sample has. ``moved``: it is not what its author drew. ``lost``: its evidence
    and toolchain are left out, because they belong to an image of another shape.
    """

    content: SampleContent
    moved: bool = False
    lost: bool = False


def size_of(sample: Sample) -> Size | None:
    return (sample.width, sample.height) if sample.width and sample.height else None


def shown_on_image(sample: Sample, revisions: Sequence[Revision]) -> list[Shown]:
    """Return the contents of these revisions on the image that the sample has. One query."""
    now = size_of(sample)
    drawn = [Drawn(one.pk, sample.pk, one.submitted_at, now) for one in revisions]
    sizes = sizes_drawn_on(ImageReplacement.objects.filter(sample=sample), drawn)
    return [_shown(content_of(one), sizes[one.pk], now) for one in revisions]


def shown_json(revision: Revision, shown: Shown) -> dict[str, Any]:
    """The content of the revision on the image that its sample has, as content JSON."""
    if not shown.moved:
        return revision_json(revision)
    names = [BoxName(box.label, box.source) for box in revision.evidence] if shown.content.gold_boxes else []
    return content_to_json(shown.content, names, facets_in(revision))


def _shown(content: SampleContent, drawn: Size | None, now: Size | None) -> Shown:
    found = in_pixels_of(content, drawn, now)
    if found is None:
        return Shown(replace(content, gold_boxes=(), reference_toolchain=()), moved=True, lost=True)
    return Shown(found, moved=found is not content)
