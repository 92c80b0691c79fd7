"""Drafts of models in pixels of the image that their sample has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.content.image_history import Drawn, size_of, sizes_drawn_on
from annotation.content.json import calls_to_json, kept_calls
from annotation.content.rescaling import Fit, Size, fit_of, rescaled_boxes, rescaled_calls
from annotation.drafting import Field, drafted_shape
from annotation.models import ImageReplacement, Proposal, Sample
from annotation.schema import Box, Outline

IN_PIXELS = (Field.BOXES, Field.TOOLCHAIN)


def on_image(sample: Sample, proposals: Sequence[Proposal]) -> list[Proposal]:
    """The drafts in pixels of the image that the sample has. Boxes and toolchains that were drafted on an image of
    another shape are left out. One query more where there are such.
    """
    now = size_of(sample)
    drawn = [Drawn(one.pk, sample.pk, one.created_at, now) for one in proposals if one.field in IN_PIXELS]
    sizes = sizes_drawn_on(ImageReplacement.objects.filter(sample=sample), drawn) if drawn else {}
    kept = []
    for one in proposals:
        size = sizes.get(one.pk)
        if size is not None and now is not None and size != now:
            if fit_of(size, now) is Fit.OTHER:
                continue
            for name in ("content", "planted_error"):
                setattr(one, name, scaled_content(one.field, getattr(one, name), size, now))
        kept.append(one)
    return kept


def scaled_content(field: str, content: Any, old: Size, new: Size) -> Any:
    """Boxes, polygons or a toolchain of a draft (JSON), scaled from one size of the image to another of equal shape."""
    if content is None:
        return None
    if field == Field.BOXES:
        shapes = rescaled_boxes(map(drafted_shape, content), old, new)
        return [{**one, **_written(shape)} for one, shape in zip(content, shapes, strict=True)]
    return calls_to_json(rescaled_calls(kept_calls(content), old, new))


def _written(shape: Box) -> dict[str, Any]:
    points = {"points": [list(point) for point in shape.points]} if isinstance(shape, Outline) else {}
    return {"box": shape.as_list(), **points}
