"""Making variants of a sample: the request of a lead, and the job that makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.changes import content_changed
from annotation.content.json import BoxName, content_to_json
from annotation.content.revisions import add_revision, facet_rows
from annotation.images.store import store_bytes
from annotation.imaging.crops import Picture
from annotation.imaging.variants.pixels import apply, digest_of, written
from annotation.imaging.variants.recipes import Recipe, recipe_of
from annotation.models import Annotation, Benchmark, FacetValue, Image, ImageVariant, Sample
from annotation.schema import SampleContent
from annotation.variants.read import (
    Planned,
    carried_content,
    directions_of,
    is_made,
    pixels_of,
    planned,
    source_of,
)
from annotation.workflow import Right, SampleState, State, transition
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.models import Job

LONGEST_KEY = 200
Report = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Requested:
    """``job``: makes what is not rejected; None if that is nothing."""

    job: Job | None
    accepted: tuple[Planned, ...]
    rejected: tuple[Planned, ...]


def make_variants(*, actor: User | None, sample: Sample, recipes: Sequence[Recipe]) -> Requested:
    """Have these variants of the sample made in a job. Those that there are already are not made again. Gold that loses
    more than 5% of its area rejects a variant. Raises ``Conflict`` and ``InvalidInput``."""
    benchmark = sample.benchmark
    require(actor, benchmark, Right.IMPORT_SAMPLES)
    if not recipes:
        raise InvalidInput(gettext("Enter at least one dose."), field="doses")
    content = source_of(sample)
    plans = [planned(sample, content, recipe) for recipe in recipes]
    accepted = tuple(one for one in plans if not one.rejected)
    rejected = tuple(one for one in plans if one.rejected)
    if not accepted:
        return Requested(None, (), rejected)
    said = [one.recipe.as_json() | {"seed": one.recipe.seed} for one in accepted]
    with transaction.atomic():
        job = enqueue_on_commit(
            "annotation.variants", payload={"sample_id": sample.pk, "recipes": said}, actor=actor,
            values={"key": sample.key}, benchmark=benchmark.slug, total=len(said),
        )  # fmt: skip
        audit.record(
            actor, "sample.make_variants", sample, benchmark.slug,
            data={"recipes": said, "rejected": [one.recipe.name for one in rejected]},
        )  # fmt: skip
    return Requested(job, accepted, rejected)


def run_recipes(
    *, actor: User | None, sample_id: int, recipes: Sequence[Mapping[str, Any]], report: Report
) -> dict[str, int]:
    """The job: each variant is stored and becomes a sample that waits for a review. Running it again adds nothing."""
    sample = Sample.objects.select_related("benchmark").with_gold().get(pk=sample_id)
    content = source_of(sample)
    image = sample.image
    assert image is not None
    picture: Picture | None = None
    counts = {"made": 0, "there": 0, "rejected": 0}
    for at, said in enumerate(recipes):
        report(at, len(recipes))
        recipe = recipe_of(said["kind"], said.get("dose"), said.get("choice", ""), said.get("seed", 0))
        plan = planned(sample, content, recipe)
        if is_made(sample, recipe):
            counts["there"] += 1
        elif plan.rejected:
            counts["rejected"] += 1
        else:
            picture = pixels_of(image) if picture is None else picture
            made = apply(recipe, picture)
            stored = store_bytes(actor, sample.benchmark, written(recipe, made))
            counts["made"] += _add(actor, sample, image, content, plan, stored, digest_of(made))
    report(len(recipes), len(recipes))
    return counts


def _add(
    actor: User | None, sample: Sample, parent: Image, content: SampleContent, plan: Planned, image: Image, digest: str
) -> bool:
    """The variant as a sample that waits for a review; False if another job was faster."""
    benchmark, recipe = sample.benchmark, plan.recipe
    with transaction.atomic():
        # One at a time, so that no two choose the same ID or make the same variant.
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        if is_made(sample, recipe):
            return False
        key = _free_key(sample, recipe)
        made = Sample.objects.create(
            benchmark=benchmark, key=key, state=SampleState.IN_REVIEW, image=image, image_name=f"{key}.png",
            image_group=sample.image_group, width=plan.width, height=plan.height, variant_of=sample,
        )  # fmt: skip
        ImageVariant.objects.create(
            sample=made, parent=parent, source_key=sample.key, recipe=recipe.as_json(), seed=recipe.seed,
            digest=digest, polygons=[[list(point) for point in one.polygon] for one in plan.carried],
            directions=directions_of(recipe, content),
        )  # fmt: skip
        _add_annotation(sample, made, content, plan)
        audit.record(
            actor, "sample.variant", made, benchmark.slug,
            data={"from": sample.key, "recipe": recipe.as_json(), "seed": recipe.seed, "digest": digest},
        )  # fmt: skip
        content_changed(benchmark.pk)
    return True


def _add_annotation(sample: Sample, made: Sample, content: SampleContent, plan: Planned) -> None:
    """The carried gold, as an annotation without an author that waits for a review."""
    carried, facets = carried_content(sample, content, plan)
    names = [BoxName(box.label, box.source) for box in sample.gold.revision.evidence]
    waits = transition("import_results", State.DRAFT).after
    annotation = Annotation.objects.create(sample=made, state=waits, kind=Annotation.Kind.IMPORTED)
    add_revision(
        actor=None, annotation=annotation, content=content_to_json(carried, names, facets), submitted_at=timezone.now()
    )
    FacetValue.objects.bulk_create(facet_rows(made, facets))


def _free_key(sample: Sample, recipe: Recipe) -> str:
    """``desk-17-rotate-90``, with a number behind it if another sample has this ID."""
    wanted, number = f"{sample.key[: LONGEST_KEY - 60]}-{recipe.name}", 1
    key = wanted
    while Sample.objects.filter(benchmark=sample.benchmark_id, key=key).exists():
        number += 1
        key = f"{wanted}-{number}"
    return key
