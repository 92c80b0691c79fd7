"""What a matched pair is made from: the plan, the facets and the origin of a sample."""

from __future__ import annotations

from typing import Any

from annotation.content.revisions import content_of, facets_of
from annotation.models import BuildItem, FacetValue, Image, Sample
from annotation.schema import SampleContent

PAIR, ORIGIN = "pair", "origin"
"""Facets of both samples: the name of the pair, and where the image is from."""
REAL, GENERATED = "real", "generated"
_OF_ONE_IMAGE = (PAIR, ORIGIN, "variant", "dose")
"""Facets that are about one image and not about the plan."""


def plan_content(sample: Sample) -> SampleContent | None:
    """The gold of a sample without what is about its image: evidence and toolchain. None without targets."""
    gold = getattr(sample, "gold", None)
    content = content_of(gold.revision) if gold is not None else None
    if content is None or not content.plan.targets:
        return None
    return SampleContent(content.question, content.answer_type, content.options, content.answers, plan=content.plan)


def copied_facets(item: BuildItem) -> dict[str, tuple[Any, ...]]:
    """The facets that the second sample of a pair gets from the first, if that was not built on the board."""
    source = item.pair_of
    if source is None or not source.from_sample or source.sample is None:
        return {}
    found = facets_of(source.sample)
    return {name: tuple(values) for name, values in found.items() if name not in _OF_ONE_IMAGE}


def origin_of(sample: Sample) -> str:
    """Whether the image of a sample is real or generated, as its facet says; "" if it does not."""
    found = FacetValue.objects.filter(sample=sample, name=ORIGIN, value__in=(REAL, GENERATED))
    values = set(found.values_list("value", flat=True))
    return values.pop() if len(values) == 1 else ""


def has_partner(sample: Sample) -> bool:
    """Whether another sample has the facet ``pair`` with the same name."""
    names = FacetValue.objects.filter(sample=sample, name=PAIR).values("value")
    others = FacetValue.objects.filter(sample__benchmark=sample.benchmark_id, name=PAIR, value__in=names)
    return others.exclude(sample=sample).exists()


def can_start_pair(sample: Sample) -> bool:
    """Whether a matched pair can start from a sample, loaded ``with_gold``, that was not built on the board."""
    return has_image(sample) and plan_content(sample) is not None and not has_partner(sample)


def has_image(sample: Sample) -> bool:
    """Whether the sample has an image that can be shown, now or once its tiles are made."""
    return sample.image is not None and sample.image.state in (Image.State.READY, Image.State.WAITING)
