"""The counts at the left of a list of samples. A list counts itself without its own filter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from annotation.common.facets.read import sample_facets
from annotation.common.terms import Terms
from annotation.common.words import AREAS, STATE_WORDS
from annotation.models import Benchmark
from annotation.models.querysets.samples import SampleQuerySet

if TYPE_CHECKING:
    from annotation.models.querysets.samples import Person

MOST_VALUES = 100
"""Values of one facet that are listed; the head of a longer one says how many it omits."""


@dataclass(frozen=True)
class Value:
    """One line: ``state`` is the sign of a state of work, "" elsewhere."""

    label: str
    count: int
    href: str
    current: bool
    state: str = ""


@dataclass(frozen=True)
class Facet:
    """``term``: its entry in the glossary, if there is one."""

    title: str
    values: list[Value]
    term: str = ""

    @property
    def largest(self) -> int:
        return max((value.count for value in self.values), default=0)


def facets_of(samples: SampleQuerySet, terms: Terms, user: Person, whole: Benchmark | None = None) -> list[Facet]:
    """Return the facets of these samples: states, their own facets, evidence area, images. Queries as of
    ``sample_facets``."""
    found = sample_facets(samples, terms.values, terms.chosen, user, whole)
    states = [(value, str(word), sign) for value, (sign, word) in STATE_WORDS.items()]
    pictures = [("yes", gettext("Available"), ""), ("problem", gettext("Unavailable"), "")]
    areas = [(value, str(word), "") for value, word in AREAS]
    return [
        _fixed(gettext("State"), "state", states, found.known["state"], terms),
        *(_facet(name, values, terms) for name, values in found.own.items()),
        replace(
            _fixed(
                gettext("Evidence area"),
                "area",
                areas,
                found.known["area"],
                terms,
            ),
            term="evidence-area",
        ),
        _fixed(gettext("Image"), "picture", pictures, found.known["picture"], terms),
    ]


def _fixed(
    title: str, name: str, values: Iterable[tuple[str, str, str]], counts: Mapping[str, int], terms: Terms
) -> Facet:
    chosen = terms.values.get(name)
    return Facet(
        title,
        [
            Value(word, counts[value], terms.toggled(name, value), value == chosen, sign)
            for value, word, sign in values
            if counts[value] or value == chosen
        ],
    )


def _facet(name: str, values: list[tuple[str, int]], terms: Terms) -> Facet:
    term = f"facet.{name}"
    chosen = terms.values.get(term)
    listed = values[:MOST_VALUES] + [pair for pair in values[MOST_VALUES:] if pair[0] == chosen]
    if chosen is not None and chosen not in dict(values):
        listed.append((chosen, 0))
    title = name[:1].upper() + name[1:].replace("_", " ")
    if len(values) > len(listed):
        counts = {"facet": title, "shown": len(listed), "total": len(values)}
        title = gettext("%(facet)s, %(shown)s of %(total)s") % counts
    return Facet(title, [Value(value, n, terms.toggled(term, value), value == chosen) for value, n in listed])
