"""Matched pairs [P 5.4]: one plan with a real and a generated image, as two items and two samples."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext

from annotation.building import Stage
from annotation.common.access import require
from annotation.content.changes import content_changed
from annotation.content.revisions import facet_rows
from annotation.content.tools import lock_bank
from annotation.models import BuildItem, FacetValue
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

PAIR, ORIGIN = "pair", "origin"
"""Facets of both samples: the name of the pair, and where the image is from."""
REAL, GENERATED = "real", "generated"


def pair_item(*, actor: User, item: BuildItem) -> BuildItem:
    """An item that waits for an image, with the text and the plan of an accepted one. Raises ``Conflict`` for an item
    without a sample, and for one that has a pair."""
    require(actor, item.benchmark, Right.MANAGE)
    with transaction.atomic():
        lock_bank(item.benchmark)
        source: BuildItem = BuildItem.objects.select_for_update().get(pk=item.pk)
        if source.sample_id is None or source.pair_of_id is not None:
            raise Conflict(gettext("Only an accepted item that is no pair itself can have a pair."), code="wrong_state")
        if source.pairs.kept().exists():
            words = gettext("Item %(number)s has a pair.")
            raise Conflict(words % {"number": source.number}, code="has_pair")
        last = BuildItem.objects.filter(benchmark=item.benchmark).aggregate(last=Max("number"))["last"]
        made = BuildItem.objects.create(
            benchmark=item.benchmark, number=last + 1, scenario=source.scenario, stage=Stage.IMAGE.value,
            targets=source.targets, steps=source.steps, either=source.either, instruction=source.instruction,
            distractors=source.distractors, description=source.description, pair_of=source, entered_at=timezone.now(),
        )  # fmt: skip
        data = {"number": made.number, "of": source.number}
        audit.record(actor, "build.pair", made, item.benchmark.slug, data=data)
    return made


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
    content_changed(source.benchmark_id)
