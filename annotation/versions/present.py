"""The samples that differ between two versions, as the page draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext

from annotation.content.records import shape_from_row
from annotation.imaging.evidence import loupe_area, moved_into
from annotation.models import Benchmark, GoldBox, GoldShape, Image, Revision, Sample
from annotation.project_file import Kind
from annotation.schema import Box
from annotation.versions.read.difference import SampleChange
from annotation.versions.read.fields import FieldChange, changed_fields
from webapp.common.word_diff import Piece

LOUPE_SIDE = 240
SHOWN = 12
"""Characters of the hash of an image."""
Corners = tuple[float, float, float, float]
Drawn = GoldBox | GoldShape


@dataclass(frozen=True)
class Near:
    """The evidence with a margin, as a separate image; the boxes are in its pixels."""

    src: str
    width: float
    height: float
    gold: list[Box]
    old: list[Box]


@dataclass(frozen=True)
class Row:
    """One sample that differs. Images are "" where there is none, with ``width`` and ``height``; ``old`` are the boxes
    it had before. A withdrawn sample has no page (``href``) and no image."""

    kind: str
    key: str
    href: str
    fields: list[FieldChange]
    summary: str
    authors: list[str]
    gold: list[Drawn]
    old: list[Drawn]
    width: int | None = None
    height: int | None = None
    thumbnail: str = ""
    near: Near | None = None


def rows_of(benchmark: Benchmark, changes: Sequence[SampleChange]) -> list[Row]:
    """Five queries: samples with their images, revisions with authors, and what the revisions hold. One more where
    images were replaced."""
    samples = Sample.everything.select_related("image").in_bulk([change.sample for change in changes])
    numbers = [number for change in changes for number in (change.before, change.after) if number]
    shas = {sha for change in changes for sha in (change.image_before, change.image_after) if sha}
    images = {one.sha256: one for one in Image.objects.filter(sha256__in=shas)} if shas else {}
    for change in changes:
        # The newer of the two states shows its image.
        sample = samples[change.sample]
        sample.image = images.get(change.image_after or change.image_before, sample.image)
    revisions = Revision.objects.with_content().select_related("author").in_bulk(numbers)
    return [
        _row(benchmark, change, samples[change.sample], revisions.get(change.before), revisions.get(change.after))
        for change in changes
    ]


def _row(
    benchmark: Benchmark, change: SampleChange, sample: Sample, before: Revision | None, after: Revision | None
) -> Row:
    changed = change.kind is Kind.CHANGED
    chains = (change.chains_before, change.chains_after)
    fields = changed_fields(before, after, *chains) if changed else _whole(change.kind, before or after)
    if changed and change.image_before != change.image_after:
        said = (change.image_before[:SHOWN], change.image_after[:SHOWN])
        fields.append(FieldChange(gettext("Image"), [Piece("cut", said[0]), Piece("new", said[1])]))
    author = (after or before or Revision()).author
    image = None if sample.removed_from_id else sample.image
    return row_of(
        benchmark,
        change.kind,
        sample.key,
        fields,
        [str(author)] if author else [gettext("imported")],
        list(after.evidence) if after else [],
        [box for box in before.evidence if _fits(box, sample.image)] if before else [],
        image,
        href="" if sample.removed_from_id else reverse("evaluation:sample", args=[benchmark.slug, sample.key]),
    )


def row_of(
    benchmark: Benchmark | None,
    kind: Kind,
    key: str,
    fields: list[FieldChange],
    authors: list[str],
    gold: list[Drawn],
    was: list[Drawn],
    image: Image | None,
    *,
    href: str = "",
) -> Row:
    """The row of a sample with its evidence now (``gold``) and before (``was``), drawn if the ``image`` is at hand."""
    boxes = set(map(_exact, gold))
    shown = image if image is not None and image.state == Image.State.READY else None
    return Row(
        kind=kind,
        key=key,
        href=href,
        fields=fields,
        summary=", ".join(_inside(field.label) for field in fields) if kind is Kind.CHANGED else kind,
        authors=authors,
        gold=gold,
        old=[box for box in was if _exact(box) not in boxes],
        width=shown.width if shown else None,
        height=shown.height if shown else None,
        thumbnail=reverse("annotation:thumbnail", args=[benchmark.slug, shown.sha256]) if shown and benchmark else "",
        near=_near(benchmark, shown, gold, was) if shown and benchmark else None,
    )


def _whole(kind: Kind, revision: Revision | None) -> list[FieldChange]:
    """A sample that is added or removed as a whole, shown by its question."""
    return whole(kind, revision.question if revision else "")


def whole(kind: Kind, question: str) -> list[FieldChange]:
    side = "new" if kind is Kind.ADDED else "cut"
    return [FieldChange(gettext("Question"), [Piece(side, question)])] if question else []


def _near(benchmark: Benchmark, image: Image, gold: list[Drawn], was: list[Drawn]) -> Near | None:
    """The first box, of the newer gold if it has one, with what else lies there."""
    shown = (gold or was)[:1]
    if not shown:
        return None
    area = loupe_area(image.width, image.height, Box(*_corners(shown[0])))
    corners = ",".join(str(v) for v in area.as_list())

    def inside(boxes: list[Drawn]) -> list[Box]:
        return [moved_into(area, shape_from_row(box)) for box in boxes]

    return Near(
        reverse("annotation:region", args=[benchmark.slug, image.sha256, corners, LOUPE_SIDE]),
        area.x2 - area.x1, area.y2 - area.y1, inside(gold), [b for b in inside(was) if b not in inside(gold)],
    )  # fmt: skip


def _fits(box: Drawn, image: Image | None) -> bool:
    """Whether the box was drawn on an image of the size of this one. Others would be misplaced."""
    if image is None:
        return True
    if isinstance(box, GoldShape):
        return box.outline.is_inside(image.width, image.height)
    return (box.image_width, box.image_height) in ((image.width, image.height), (None, None))


def _exact(box: Drawn) -> str:
    """A text that differs for different evidence."""
    return str(box.points) if isinstance(box, GoldShape) else str(_corners(box))


def _corners(box: Drawn) -> Corners:
    return box.x1, box.y1, box.x2, box.y2


def _inside(label: str) -> str:
    """A label inside a line of labels."""
    return label[0].lower() + label[1:]
