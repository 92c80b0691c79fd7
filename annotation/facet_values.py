"""Handles facet values that a schema with a list of values does not contain. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.task_schema import Facet


@dataclass(frozen=True, slots=True)
class ValueInUse:
    """A value of a closed facet that its schema does not list. ``count``: samples that have it. ``proposed``: the
    listed value that it probably means, "" if none is similar.
    """

    facet: str
    value: str
    count: int
    proposed: str


def unlisted(facets: Iterable[Facet], in_use: Mapping[str, Sequence[tuple[str, int]]]) -> list[ValueInUse]:
    """The values in use, with the samples that have each, that a closed facet does not list; in the order of the
    facets."""
    found = []
    for facet in facets:
        listed = [option.value for option in facet.values]
        if facet.closed:
            found += [
                ValueInUse(facet.name, value, count, nearest(value, listed) or "")
                for value, count in in_use.get(facet.name, ())
                if value not in listed
            ]
    return found


def nearest(value: str, listed: Sequence[str]) -> str | None:
    """The listed value that differs by case and spaces alone, else the only one at an edit distance of 1 from it."""
    key = _key(value)
    same = [one for one in listed if _key(one) == key]
    close = same or [one for one in listed if one_edit_apart(_key(one), key)]
    return close[0] if same or len(close) == 1 else None


def one_edit_apart(first: str, second: str) -> bool:
    """Whether one letter put in, taken out or replaced makes one of the other."""
    short, long = sorted((first, second), key=len)
    if first == second or len(long) - len(short) > 1:
        return False
    at = next((place for place, letter in enumerate(short) if letter != long[place]), len(short))
    return short[at:] == long[at + 1 :] or short[at + 1 :] == long[at + 1 :]


def _key(value: str) -> str:
    return " ".join(value.casefold().split())
