"""The facets of a list of samples: for each of its terms, how many there would be with each value of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count

from annotation.models import Benchmark, FacetValue
from annotation.models.querysets.samples import SAMPLE_FILTERS, FacetValueQuerySet, SampleQuerySet
from annotation.workflow import SampleState

if TYPE_CHECKING:
    from annotation.models.querysets.samples import Person

Values = list[tuple[str, int]]
Narrowed = Callable[[str], SampleQuerySet]
"""The list without its term of this name."""

KNOWN: Mapping[str, tuple[str, ...]] = {
    "state": (
        SampleState.ACCEPTED, SampleState.IN_REVIEW, SampleState.DISPUTED, SampleState.DRAFT, SampleState.RETURNED,
        SampleState.TO_DO, SampleState.DISCARDED,
    ),
    "area": ("0-0.05", "0.05-0.2", "0.2-1", "1-100", "unknown"),
    "picture": ("yes", "problem"),
}  # fmt: skip
"""Terms whose values are known beforehand, in the order of pages."""


@dataclass(frozen=True)
class SampleFacets:
    """``known``: counts of the terms of ``KNOWN``, zeros too; ``own``: the samples' own facets by name, the most
    frequent value first."""

    known: Mapping[str, Mapping[str, int]]
    own: Mapping[str, Values]


def sample_facets(
    samples: SampleQuerySet,
    terms: Mapping[str, str],
    chosen: tuple[str, ...],
    user: Person,
    whole: Benchmark | None = None,
) -> SampleFacets:
    """Count the facets of these samples, as far as the samples meet the terms. Each facet counts the list without its
    own term. Two queries, and one more for each term that is both counted and set. ``whole``: the benchmark, if these
    are all of its samples."""

    def narrowed(own: str) -> SampleQuerySet:
        left = {name: value for name, value in terms.items() if name != own}
        return samples.narrowed(left, chosen=chosen, user=user)

    if whole and not terms and not chosen:
        # All values of a benchmark are adjacent in an index: this takes a sixth of the time of searching those of
        # samples.
        return SampleFacets(_known(narrowed, terms), _grouped(FacetValue.objects.filter(benchmark=whole)))
    return SampleFacets(_known(narrowed, terms), _own(narrowed, terms))


def _known(narrowed: Narrowed, terms: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Count by state: the facets without a term in one query, and each facet with a term in a separate query."""
    if not any(name in terms for name in KNOWN):
        return _by_state(narrowed(""))
    alike = [name for name in KNOWN if name not in terms]
    found: dict[str, dict[str, int]] = {}
    for names, own in [(alike, ""), *[([name], name) for name in KNOWN if name not in alike]]:
        conditions = {f"{name}:{value}": SAMPLE_FILTERS[name](value) for name in names for value in KNOWN[name]}
        counts = narrowed(own).counted(conditions) if conditions else {}
        found |= {name: {value: counts[f"{name}:{value}"] for value in KNOWN[name]} for name in names}
    return found


def _by_state(samples: SampleQuerySet) -> dict[str, dict[str, int]]:
    """Group by state, so that every row is compared with half as many conditions."""
    others = [(name, value) for name in KNOWN if name != "state" for value in KNOWN[name]]
    counted = {f"{name}:{value}": Count("pk", filter=SAMPLE_FILTERS[name](value)) for name, value in others}
    groups = list(samples.order_by().values("state").annotate(n=Count("pk"), **counted))
    states = {group["state"]: group["n"] for group in groups}
    found = {"state": {state: states.get(state, 0) for state in KNOWN["state"]}}
    for name, value in others:
        found.setdefault(name, {})[value] = sum(group[f"{name}:{value}"] for group in groups)
    return found


def _own(narrowed: Narrowed, terms: Mapping[str, str]) -> dict[str, Values]:
    active = [name.removeprefix("facet.") for name in terms if name.startswith("facet.")]
    counted = _counts(narrowed(""))
    for name in active:
        counted[name] = _counts(narrowed(f"facet.{name}"), name).get(name, [])
    return {name: values for name, values in sorted(counted.items()) if values or name in active}


def _counts(samples: SampleQuerySet, name: str = "") -> dict[str, Values]:
    rows = FacetValue.objects.filter(sample__in=samples.order_by().values("pk"))
    return _grouped(rows.filter(name=name) if name else rows)


def _grouped(rows: FacetValueQuerySet) -> dict[str, Values]:
    found: dict[str, Values] = {}
    for facet, value, n in rows.counted():
        found.setdefault(facet, []).append((value, n))
    return found
