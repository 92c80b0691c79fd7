"""The image that evidence was drawn on, and the evidence in pixels of another image of that sample.

After a sample got another image, its earlier evidence is in pixels of the earlier one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext

from annotation.content.image_history import Drawn, size_of, sizes_drawn_on
from annotation.content.json import BoxName, content_from_json, content_to_json
from annotation.content.rescaling import Fit, Size, fit_of, rescaled, rescaled_boxes
from annotation.content.revisions import content_of, facets_in, revision_json
from annotation.models import ImageReplacement, Revision, Sample
from annotation.schema import Box, SampleContent
from webapp.common.errors import Conflict


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


def shown_on_image(sample: Sample, revisions: Sequence[Revision]) -> list[Shown]:
    """Return the contents of these revisions on the image that the sample has. One query."""
    return _shown_on(ImageReplacement.objects.filter(sample=sample), [(one, sample) for one in revisions])


def shown_on_images(revisions: Sequence[Revision]) -> list[Shown]:
    """The same for revisions of several samples, loaded with these. One query."""
    pairs = [(one, one.annotation.sample) for one in revisions]
    return _shown_on(ImageReplacement.objects.filter(sample__in=[sample.pk for _, sample in pairs]), pairs)


def _shown_on(replaced: QuerySet[ImageReplacement], pairs: Sequence[tuple[Revision, Sample]]) -> list[Shown]:
    drawn = [Drawn(one.pk, sample.pk, one.submitted_at, size_of(sample)) for one, sample in pairs]
    sizes = sizes_drawn_on(replaced, drawn)
    return [_shown(content_of(one), sizes[one.pk], size_of(sample)) for one, sample in pairs]


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


def json_in_pixels_of(content: Mapping[str, Any], drawn: Size, other: Size) -> dict[str, Any]:
    """Return unsubmitted content (JSON) in pixels of the other image. Its evidence and toolchain are left out if the
    images differ in shape.
    """
    parsed, names, facets = content_from_json(content)
    found = in_pixels_of(parsed, drawn, other)
    if found is None:
        found, names = replace(parsed, gold_boxes=(), reference_toolchain=()), ()
    return dict(content) if found is parsed else content_to_json(found, names, facets)


def replacements_of(sample: Sample) -> list[ImageReplacement]:
    """Return the earlier images of the sample, the last one first. One query."""
    rows = ImageReplacement.objects.filter(sample=sample).select_related("image")
    return list(rows.order_by("-replaced_at", "-pk"))


def images_in_same_pixels(sample: Sample, earlier: Sequence[ImageReplacement]) -> list[str]:
    """Return the SHA-256 of the image that the sample has, and of those before it (``replacements_of``) that were
    replaced without a change of pixels.
    """
    if sample.image is None:
        return []
    kept = takewhile(lambda one: one.boxes == ImageReplacement.Boxes.KEPT, earlier)
    return [sample.image.sha256, *(one.image.sha256 for one in kept)]


def last_change_of_pixels(earlier: Sequence[ImageReplacement], since: datetime | None) -> ImageReplacement | None:
    """Return the last of these replacements that changed the pixels of the image, if it was after ``since``."""
    last = next((one for one in earlier if one.boxes != ImageReplacement.Boxes.KEPT), None)
    return last if last is not None and (since is None or last.replaced_at > since) else None


def require_shown(sample: Sample, sha256: str) -> None:
    """Raise ``Conflict`` with the code ``image_replaced`` if a page shows an image whose pixels are no longer those of
    the sample. ``sha256``: of the image on the page, "" for none. One query, two if the image was replaced.
    """
    if not sha256:
        return
    now = Sample.objects.filter(pk=sample.pk).values_list("image__sha256", flat=True).first()
    if now is None or now == sha256:
        return
    fresh = Sample.objects.select_related("image").get(pk=sample.pk)
    if sha256 not in images_in_same_pixels(fresh, replacements_of(fresh)):
        message = gettext(
            "The image of %(key)s was replaced while this page was open. Reload the page to continue on the new image."
        )
        raise Conflict(message % {"key": sample.key}, code="image_replaced")
