"""Previews and lists of the variants of a sample."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext

from annotation.common.terms import Terms
from annotation.content.records import record_of
from annotation.content.revisions import facets_of
from annotation.images.serving import region_of
from annotation.images.store import picture_path
from annotation.imaging.crops import Picture, encode_jpeg
from annotation.imaging.decoding import decode
from annotation.imaging.encoding import fitted
from annotation.imaging.variants.directions import directions_in
from annotation.imaging.variants.pixels import apply
from annotation.imaging.variants.plane import Carried, Plane, Point, carry
from annotation.imaging.variants.recipes import Kind, Recipe, RecipeError, plain, reduced, size_and_plane
from annotation.models import Benchmark, Image, ImageVariant, Sample
from annotation.models.querysets.samples import SampleQuerySet
from annotation.schema import Box, Outline, OutlineKind, SampleContent
from annotation.task_schema import Shape
from webapp.common import objects
from webapp.common.errors import Conflict, InvalidInput

PREVIEW_SIDE = 960
FACETS = ("variant", "dose")


@dataclass(frozen=True, slots=True)
class Planned:
    """A variant that a recipe would make. ``rejected``: positions of gold boxes that lose too much, from 1."""

    recipe: Recipe
    width: int
    height: int
    carried: tuple[Carried, ...]

    @property
    def rejected(self) -> tuple[int, ...]:
        return tuple(at for at, one in enumerate(self.carried, start=1) if one.is_rejected)

    def outlines_of(self, *, rejected: bool) -> list[tuple[Point, ...]]:
        """Return the positions of the gold boxes that are rejected, or that are not."""
        found = (one for one in self.carried if one.box is not None and one.is_rejected is rejected)
        return [one.polygon or _corners(one) for one in found]

    @property
    def smallest_share(self) -> float:
        """Of the rejected boxes, the smallest share that is left."""
        return min((one.kept for one in self.carried if one.is_rejected), default=1.0)


def _corners(one: Carried) -> tuple[Point, ...]:
    box = one.box
    return ((box.x1, box.y1), (box.x2, box.y1), (box.x2, box.y2), (box.x1, box.y2)) if box else ()


def source_of(sample: Sample) -> SampleContent:
    """Return the gold content that variants of the sample begin with. Raises ``Conflict`` if none can be made."""
    if ImageVariant.objects.filter(sample=sample).exists():
        message = gettext("%(key)s is a variant itself. Make variants of the sample that it was made of.")
        raise Conflict(message % {"key": sample.key}, code="is_variant")
    if sample.image is None or sample.image.state != Image.State.READY:
        message = gettext("The image of %(key)s is not ready. Wait until its tiles are made, or upload it again.")
        raise Conflict(message % {"key": sample.key}, code="no_image")
    if getattr(sample, "gold", None) is None:
        message = gettext("%(key)s has no gold yet. Accept it first.")
        raise Conflict(message % {"key": sample.key}, code="no_gold")
    return record_of(sample).content


def planned(sample: Sample, content: SampleContent, recipe: Recipe) -> Planned:
    """Return the image and the gold boxes after applying the recipe. Raises ``InvalidInput``."""
    image = sample.image
    assert image is not None
    try:
        wide, high, plane = size_and_plane(recipe, image.width, image.height)
    except RecipeError as error:
        raise refused(error) from error
    return Planned(recipe, wide, high, tuple(carry(box, plane, wide, high) for box in content.gold_boxes))


def unchanged(sample: Sample, content: SampleContent) -> Planned:
    """The unchanged image, to compare."""
    image = sample.image
    assert image is not None
    boxes = tuple(carry(box, Plane(), image.width, image.height) for box in content.gold_boxes)
    return Planned(Recipe(Kind.CROP), image.width, image.height, boxes)


def refused(error: RecipeError, fields: Mapping[str, str] | None = None) -> InvalidInput:
    """A recipe that cannot be applied, in the language of the page. ``fields``: fields of the recipe that have another
    name in the request."""
    named = (fields or {}).get(error.field, error.field)
    return InvalidInput(gettext(error.template) % error.values, field=named)


def pixels_of(image: Image) -> Picture:
    return decode(objects.read(picture_path(image)))


def preview_of(image: Image, recipe: Recipe) -> bytes:
    """A small JPEG of the variant that the recipe would make, from the tiles. Raises ``InvalidInput``."""
    small = decode(region_of(image, Box(0, 0, image.width, image.height), PREVIEW_SIDE))
    try:
        made = apply(reduced(recipe, small.shape[1] / image.width), small)
    except RecipeError as error:
        raise refused(error) from error
    return encode_jpeg(fitted(made, PREVIEW_SIDE))


def _gold_of(one: Carried, as_polygons: bool) -> Box:
    assert one.box is not None
    if one.polygon and as_polygons and not isinstance(one.box, Outline):
        return Outline.of(OutlineKind.POLYGON, one.polygon)
    return one.box


def carried_content(
    sample: Sample, content: SampleContent, made: Planned
) -> tuple[SampleContent, dict[str, list[Any]]]:
    """Content and facets of the variant. A tilted box is a polygon if the task allows polygons, else the upright box. A
    reference toolchain stays only where no place moves."""
    as_polygons = Shape.POLYGON in sample.benchmark.task.evidence.shapes
    boxes = tuple(_gold_of(one, as_polygons) for one in made.carried if one.box is not None)
    same_places = (made.width, made.height) == (sample.width, sample.height) and not made.recipe.form.moves
    chain = content.reference_toolchain if same_places else ()
    facets = {name: values for name, values in facets_of(sample).items() if name not in FACETS}
    facets["variant"] = [made.recipe.kind.value]
    if made.recipe.dose is not None:
        facets["dose"] = [plain(made.recipe.dose)]
    return replace(content, gold_boxes=boxes, reference_toolchain=chain), facets


def directions_of(recipe: Recipe, content: SampleContent) -> list[str]:
    """Words for directions that the recipe may make untrue."""
    return directions_in([content.question, *content.options.values()]) if recipe.form.moves else []


def variants_of(sample: Sample) -> Sequence[Sample]:
    """The variants of a sample with their recipes and images, by kind and dose. One query."""
    rows = sample.variants.select_related("variant", "image").order_by("pk")
    return sorted(rows, key=lambda row: (row.variant.recipe["kind"], row.variant.recipe.get("dose", 0), row.pk))


def is_made(sample: Sample, recipe: Recipe) -> bool:
    """Whether the sample has this variant."""
    return any(
        (row.recipe, row.seed) == (recipe.as_json(), recipe.seed)
        for row in ImageVariant.objects.filter(sample__variant_of=sample)
    )


@dataclass(frozen=True, slots=True)
class Outlook:
    """What recipes would make of a sample: ``there``: variants that exist; ``rejected``: they cut too much of the gold;
    ``unfit``: why the others cannot be made."""

    recipes: tuple[Recipe, ...] = ()
    there: int = 0
    rejected: int = 0
    unfit: tuple[str, ...] = ()


def sources_of(benchmark: Benchmark, query: str) -> SampleQuerySet:
    """The samples with gold that a query of the list of samples selects, without variants. Raises ``InvalidInput`` for
    a query without any known term."""
    terms = Terms.read(QueryDict(query.removeprefix("?")))
    if query.strip("? ") and not terms.values and not terms.chosen:
        message = gettext(
            "%(query)s has no known term. Terms are those of the list of samples, such as facet.scene=street."
        )
        raise InvalidInput(message % {"query": query}, field="samples")
    found: SampleQuerySet = benchmark.samples.filter(gold__isnull=False, variant__isnull=True)
    return found.narrowed(terms.values, chosen=terms.chosen).with_gold().order_by("key")


def outlook_of(sample: Sample, recipes: Sequence[Recipe]) -> Outlook:
    """What these recipes would make of a sample. Nothing is decoded."""
    try:
        content = source_of(sample)
    except Conflict as problem:
        return Outlook(unfit=(problem.message,))
    there = {_name_of(row.recipe, row.seed) for row in ImageVariant.objects.filter(sample__variant_of=sample)}
    new, unfit, rejected = [], [], 0
    for recipe in recipes:
        if _name_of(recipe.as_json(), recipe.seed) in there:
            continue
        try:
            plan = planned(sample, content, recipe)
        except InvalidInput as problem:
            unfit.append(f"{sample.key}: {problem.message}")
            continue
        rejected += bool(plan.rejected)
        if not plan.rejected:
            new.append(recipe)
    known = len(recipes) - len(new) - len(unfit) - rejected
    return Outlook(tuple(new), known, rejected, tuple(unfit))


def _name_of(recipe: Mapping[str, Any], seed: int) -> str:
    return json.dumps([recipe, seed], sort_keys=True)
