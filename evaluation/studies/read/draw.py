"""The samples that a human study can ask about, by stratum."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db.models import Q
from django.utils.translation import gettext

from annotation.evidence import WITH_GOLD
from annotation.models import Benchmark, FacetValue, Image
from evaluation.metrics.slices import natural
from evaluation.metrics.strata import LEAST, Stratum, plan_strata
from webapp.common.errors import InvalidInput

BETWEEN = " · "
"""Between the values of several facets in the name of a group."""


def facets_of(benchmark: Benchmark) -> list[str]:
    """The facets that the samples of a benchmark have. One query."""
    return sorted(set(FacetValue.objects.filter(benchmark=benchmark).order_by().values_list("name", flat=True)))


def groups_of(benchmark: Benchmark, facets: Sequence[str], conditions: Collection[str] = ()) -> dict[str, list[int]]:
    """The samples with gold, an image, and an answer or a tool plan, by the values of these facets; one group without
    facets. Gold checks are left out: an annotator who meets the sample of a study in the queue would know that it has
    gold. With ``conditions``, samples need an answer, and gold boxes if a condition depends on them. Samples are in the
    order of their ids. Two queries."""
    asks = ~Q(gold__revision__answers=[]) | Q(gold__revision__plan_tools__step__isnull=False)
    if conditions:
        asks = ~Q(gold__revision__answers=[])
        asks &= Q(gold__revision__gold_boxes__isnull=False) if WITH_GOLD & set(conditions) else Q()
    ready = benchmark.samples.filter(asks, gold__isnull=False, gold_check=None, image__state=Image.State.READY)
    samples = list(ready.order_by("key").values_list("pk", flat=True).distinct())
    values: dict[tuple[int, str], list[str]] = {}
    rows = FacetValue.objects.filter(benchmark=benchmark, name__in=facets).order_by("position", "pk")
    for sample, name, value in rows.values_list("sample_id", "name", "value"):
        values.setdefault((sample, name), []).append(value)
    groups: dict[tuple[str, ...], list[int]] = {}
    for sample in samples:
        of = tuple(", ".join(values.get((sample, name), [])) or f"{gettext('no')} {name}" for name in facets)
        groups.setdefault(of, []).append(sample)
    order = sorted(groups, key=lambda of: [natural(value) for value in of])
    return {BETWEEN.join(of) or gettext("all samples"): groups[of] for of in order}


def strata_of(
    benchmark: Benchmark, facets: Collection[str], n: int, conditions: Collection[str] = ()
) -> tuple[list[Stratum], dict[str, list[int]]]:
    """The strata of a sample of ``n``, and the samples of each group. Raises ``InvalidInput`` naming the field."""
    unknown = sorted(set(facets) - set(facets_of(benchmark)))
    if unknown:
        raise InvalidInput(
            gettext("No sample has the facet %(facet)s.") % {"facet": repr(unknown[0][:60])}, field="facets"
        )
    groups = groups_of(benchmark, list(dict.fromkeys(facets)), conditions)
    total = sum(map(len, groups.values()))
    if total < LEAST:
        raise InvalidInput(
            gettext("A study needs at least %(least)s samples with gold and an image.") % {"least": LEAST}, field="n"
        )
    if not LEAST <= n <= total:
        raise InvalidInput(
            gettext("Choose %(least)s to %(total)s samples. Only samples with gold and an image can be drawn.")
            % {"least": LEAST, "total": f"{total:,}"},
            field="n",
        )
    return plan_strata({name: len(found) for name, found in groups.items()}, n), groups
