"""Searches benchmarks and their samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Case, IntegerField, Q, Value, When

from annotation.blindness import Known
from annotation.common.access import known_in_list
from annotation.models import Benchmark, Sample

if TYPE_CHECKING:
    from annotation.models.querysets.samples import Person


@dataclass(frozen=True)
class Wanted:
    """The searched text and its words. ``here``: the number of the current benchmark, whose results come first; 0 for
    none.
    """

    text: str
    here: int = 0

    @property
    def words(self) -> list[str]:
        return self.text.casefold().split()

    def names(self, *texts: str) -> bool:
        """Return whether these texts contain every word."""
        whole = " ".join(texts).casefold()
        return all(word in whole for word in self.words)


@dataclass(frozen=True)
class Searchable:
    """The benchmarks that a person may open, and what they may know of each, by its number."""

    benchmarks: Sequence[Benchmark]
    known: Mapping[int, Known]

    @property
    def open(self) -> list[int]:
        """Return the benchmarks whose gold and results this person may see now. Of others only the names are
        found."""
        return [pk for pk, told in self.known.items() if told.gold]

    def at(self, slug: str) -> Benchmark | None:
        return next((one for one in self.benchmarks if one.slug == slug), None)


def searchable_by(user: Person) -> Searchable:
    """Load them with two queries for any number of benchmarks."""
    visible = Benchmark.objects.visible_to(user).with_roles_of(user)
    found = list(visible.select_related("quality").order_by("title", "pk"))
    return Searchable(found, {one.pk: known_in_list(user, one) for one in found})


def find_benchmarks(area: Searchable, wanted: Wanted, most: int) -> list[Benchmark]:
    """Return benchmarks whose title or address contains every word. No query."""
    return [one for one in area.benchmarks if wanted.names(one.title, one.slug)][:most]


def find_samples(area: Searchable, wanted: Wanted, most: int) -> list[Sample]:
    """Return samples whose id or gold question contains the text: those of this benchmark first, and whole ids and
    beginnings of ids before others. One query, none without a text."""
    if not wanted.text:
        return []
    near = Case(
        When(key__iexact=wanted.text, then=Value(0)),
        When(key__istartswith=wanted.text, then=Value(1)),
        When(key__icontains=wanted.text, then=Value(2)),
        default=Value(3),
        output_field=IntegerField(),
    )
    away = Case(When(Q(benchmark=wanted.here), then=Value(0)), default=Value(1), output_field=IntegerField())
    found = Sample.objects.filter(benchmark__in=area.open).saying(wanted.text).annotate(near=near, away=away)
    return list(found.select_related("gold__revision").order_by("away", "near", "benchmark", "key")[:most])
