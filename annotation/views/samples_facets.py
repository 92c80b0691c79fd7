"""The counts at the left of a list of samples. A list counts itself without its own filter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotation.models import FacetValue
from annotation.querysets import SAMPLE_FILTERS, SampleQuerySet
from annotation.views.samples_terms import Terms
from annotation.views.samples_words import AREAS, PICTURES, STATE_WORDS

if TYPE_CHECKING:
    from annotation.querysets import Person

MOST_VALUES = 100
"""Values of one facet that are listed; the head of a longer one says how many it leaves out."""


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
    title: str
    values: list[Value]

    @property
    def largest(self) -> int:
        return max((value.count for value in self.values), default=0)


def facets_of(samples: SampleQuerySet, terms: Terms, user: Person) -> list[Facet]:
    """Of these samples: states, their own facets, evidence area, pictures. Two queries, and one more for each facet
    (and each of these lists) that is narrowed by."""

    def narrowed(own: str) -> SampleQuerySet:
        left = terms.without(own)
        return samples.narrowed(left.values, chosen=left.chosen, user=user)

    fixed = _fixed_counts(narrowed, terms)
    states = [(value, word, sign) for value, (sign, word) in STATE_WORDS.items()]
    pictures = [("yes", "Here", ""), ("problem", "Problem", "")]
    return [
        _fixed("State", "state", states, fixed["state"], terms),
        *_own_facets(narrowed, terms),
        _fixed("Evidence area", "area", [(value, word, "") for value, word in AREAS], fixed["area"], terms),
        _fixed("Picture", "picture", pictures, fixed["picture"], terms),
    ]


def _fixed_counts(narrowed: Callable[[str], SampleQuerySet], terms: Terms) -> dict[str, dict[str, int]]:
    """The lists whose values are known beforehand: all that nothing narrows by in one query, each other in its own."""
    lists = {"state": list(STATE_WORDS), "area": [area for area, _ in AREAS], "picture": list(PICTURES)}
    alike = [name for name in lists if name not in terms.values]
    found: dict[str, dict[str, int]] = {}
    for names, own in [(alike, ""), *[([name], name) for name in lists if name not in alike]]:
        conditions = {f"{name}:{value}": SAMPLE_FILTERS[name](value) for name in names for value in lists[name]}
        counts = narrowed(own).counted(conditions) if conditions else {}
        found |= {name: {value: counts[f"{name}:{value}"] for value in lists[name]} for name in names}
    return found


def _fixed(
    title: str, name: str, values: Iterable[tuple[str, str, str]], counts: dict[str, int], terms: Terms
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


def _own_facets(narrowed: Callable[[str], SampleQuerySet], terms: Terms) -> list[Facet]:
    """The facets that the benchmark's samples have; one that is narrowed by is counted apart."""
    active = [name.removeprefix("facet.") for name in terms.values if name.startswith("facet.")]
    counted = _counts(narrowed(""))
    for name in active:
        counted[name] = _counts(narrowed(f"facet.{name}"), name).get(name, [])
    return [_facet(name, values, terms) for name, values in sorted(counted.items()) if values or name in active]


def _counts(samples: SampleQuerySet, name: str = "") -> dict[str, list[tuple[str, int]]]:
    rows = FacetValue.objects.filter(sample__in=samples.order_by().values("pk"))
    found: dict[str, list[tuple[str, int]]] = {}
    for facet, value, n in (rows.filter(name=name) if name else rows).counted():
        found.setdefault(facet, []).append((value, n))
    return found


def _facet(name: str, values: list[tuple[str, int]], terms: Terms) -> Facet:
    term = f"facet.{name}"
    chosen = terms.values.get(term)
    listed = values[:MOST_VALUES] + [pair for pair in values[MOST_VALUES:] if pair[0] == chosen]
    if chosen is not None and chosen not in dict(values):
        listed.append((chosen, 0))
    title = name[:1].upper() + name[1:].replace("_", " ")
    if len(values) > len(listed):
        title += f", {len(listed)} of {len(values)}"
    return Facet(title, [Value(value, n, terms.toggled(term, value), value == chosen) for value, n in listed])
