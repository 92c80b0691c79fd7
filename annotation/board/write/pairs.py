"""Matched pairs [P 5.4]: one plan with a real and a generated image, as two items and two samples."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext

from annotation.board.read.pairs import GENERATED, ORIGIN, PAIR, REAL, has_image, has_partner, origin_of, plan_content
from annotation.board.write.decisions import storable_text
from annotation.building import Stage, Verdict
from annotation.common.access import require
from annotation.content.changes import facets_changed
from annotation.content.revisions import facet_rows
from annotation.content.tools import lock_bank
from annotation.models import Benchmark, BuildDecision, BuildItem, FacetValue, Sample
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

LONGEST_DESCRIPTION = 5000


def pair_item(*, actor: User, item: BuildItem) -> BuildItem:
    """An item that waits for an image, with the text and the plan of an accepted one. Raises ``Conflict`` for an item
    without a sample, and for one that has a pair."""
    require(actor, item.benchmark, Right.MANAGE)
    with transaction.atomic():
        lock_bank(item.benchmark)
        source: BuildItem = BuildItem.objects.select_for_update(no_key=True).get(pk=item.pk)
        source.benchmark = item.benchmark
        if source.sample_id is None or source.pair_of_id is not None:
            raise Conflict(gettext("Only an accepted item that is no pair itself can have a pair."), code="wrong_state")
        if source.pairs.kept().exists():
            message = gettext("Item %(number)s has a pair.")
            raise Conflict(message % {"number": source.number}, code="has_pair")
        made = _second(source, source.description)
        data = {"number": made.number, "of": source.number}
        audit.record(actor, "build.pair", made, item.benchmark.slug, data=data)
    return made


def pair_sample(*, actor: User, sample: Sample, origin: str = "", description: str = "") -> BuildItem:
    """An item that waits for the other image of a sample with a tool plan. A sample that was not built on the board
    gets an accepted item of its own, made from its gold.

    ``origin``: of the image of the sample, real or generated; "" if its facet ``origin`` has it. ``description``: of
    the scene, from which the image can be generated; "": that of the sample. Both are ignored for a sample that was
    built on the board. Raises ``InvalidInput`` naming the field, and ``Conflict`` for a sample without a gold plan or
    without an image, and for one that has a pair.
    """
    require(actor, sample.benchmark, Right.MANAGE)
    if item := BuildItem.objects.filter(sample=sample).select_related("benchmark").first():
        return pair_item(actor=actor, item=item)
    scene = storable_text(description, "description").strip() or str(sample.extra.get("description") or "")
    if len(scene) > LONGEST_DESCRIPTION:
        message = gettext("A description has at most %(most)s characters.")
        raise InvalidInput(message % {"most": LONGEST_DESCRIPTION}, field="description")
    with transaction.atomic():
        lock_bank(sample.benchmark)
        stored: Sample = Sample.objects.with_gold().select_for_update(of=("self",), no_key=True).get(pk=sample.pk)
        stored.benchmark = sample.benchmark
        if BuildItem.objects.filter(sample=stored).exists() or has_partner(stored):
            raise Conflict(gettext("%(key)s has a matched pair.") % {"key": stored.key}, code="has_pair")
        source = _made_from(stored, real=_is_real(stored, origin), scene=scene)
        BuildDecision.objects.create(
            item=source, stage=Stage.ACCEPTED.value, person=actor, verdict=Verdict.PASSED.value,
            details={"from_sample": stored.key},
        )  # fmt: skip
        made = _second(source, source.description)
        data = {"number": made.number, "of": source.number, "sample": stored.key}
        audit.record(actor, "build.pair", made, sample.benchmark.slug, data=data)
    return made


def _second(source: BuildItem, description: str) -> BuildItem:
    """The item of the other image. Call with the bank locked."""
    return BuildItem.objects.create(
        benchmark=source.benchmark, number=_next_number(source.benchmark), scenario=source.scenario,
        stage=Stage.IMAGE.value, targets=source.targets, steps=source.steps, either=source.either,
        instruction=source.instruction, distractors=source.distractors, description=description, pair_of=source,
        entered_at=timezone.now(),
    )  # fmt: skip


def _next_number(benchmark: Benchmark) -> int:
    last: int | None = BuildItem.objects.filter(benchmark=benchmark).aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def _made_from(sample: Sample, *, real: bool, scene: str) -> BuildItem:
    """The accepted item of a sample that was not built on the board."""
    content = plan_content(sample)
    if content is None or not has_image(sample):
        message = gettext("%(key)s can't have a matched pair: it needs a tool plan as gold, and an image.")
        raise Conflict(message % {"key": sample.key}, code="wrong_state")
    plan = content.plan
    groups = {one.either for one in plan.targets if one.either is not None}
    kinds = plan.likeness_by_name
    return BuildItem.objects.create(
        benchmark=sample.benchmark, number=_next_number(sample.benchmark), stage=Stage.ACCEPTED.value,
        targets=[one.tool for one in plan.targets], steps=[one.step for one in plan.targets],
        either=[one.tool for one in plan.targets if one.either is not None] if len(groups) == 1 else [],
        instruction=content.question, distractors=[{"tool": one, "likeness": kinds.get(one, "")} for one in
                                                    plan.distractors],
        description=scene, image=sample.image, real=real, from_sample=True, sample=sample, entered_at=timezone.now(),
    )  # fmt: skip


def _is_real(sample: Sample, origin: str) -> bool:
    """Whether the image of the sample is a photograph. Raises ``InvalidInput`` if nothing says so, or two things do."""
    known = origin_of(sample)
    if origin not in ("", REAL, GENERATED) or (known and origin not in ("", known)):
        message = gettext("The origin of the image is %(origins)s.")
        raise InvalidInput(message % {"origins": known or f"{REAL}, {GENERATED}"}, field="origin")
    if not (known or origin):
        message = gettext("Say whether the image of %(key)s is real or generated.")
        raise InvalidInput(message % {"key": sample.key}, field="origin")
    return (known or origin) == REAL


def paired_facets(item: BuildItem, source: BuildItem) -> dict[str, tuple[str, ...]]:
    """The facets of the second sample of a pair. Raises ``Conflict`` if the first one is gone, and ``InvalidInput``
    unless one image is real and the other is generated."""
    if source.sample is None:
        raise Conflict(gettext("The sample of the other image was deleted. Discard this item."), code="wrong_state")
    if item.real is source.real:
        raise InvalidInput(
            gettext("A pair has a real and a generated image, and both are alike. Send the item back to its image.")
        )
    return {PAIR: (source.sample.key,), ORIGIN: (REAL if item.real else GENERATED,)}


def name_pair(source: BuildItem) -> None:
    """Give the first sample of a pair its facets, once."""
    sample = source.sample
    assert sample is not None
    FacetValue.objects.filter(sample=sample, name__in=(PAIR, ORIGIN)).delete()
    facets = {PAIR: [sample.key], ORIGIN: [REAL if source.real else GENERATED]}
    FacetValue.objects.bulk_create(facet_rows(sample, facets))
    facets_changed(source.benchmark_id, sample.pk)
