"""Matches predicted tool names with targets. Source: docs/metrics.md#matching."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache

LEAST_SIMILARITY = 0.75
CONTAINED_SIMILARITY = 0.85
UNMATCHED = -1


@lru_cache(maxsize=65_536)
def normalise(name: str) -> str:
    """The name trimmed, with single spaces, casefolded."""
    return " ".join(name.split()).casefold()


def normalised(names: Sequence[str]) -> tuple[str, ...]:
    """All names normalized, blank ones dropped, repeats and order kept."""
    return tuple(found for name in names if (found := normalise(name)))


@lru_cache(maxsize=65_536)
def plurals(name: str) -> frozenset[str]:
    """The plural forms a normalized name may take: +s; +es after s, x, z, ch, sh, o; y → ies; f → ves; fe → ves."""
    forms = {name + "s"}
    if name.endswith(("s", "x", "z", "ch", "sh", "o")):
        forms.add(name + "es")
    if name.endswith("y"):
        forms.add(name[:-1] + "ies")
    if name.endswith("f"):
        forms.add(name[:-1] + "ves")
    if name.endswith("fe"):
        forms.add(name[:-2] + "ves")
    return frozenset(forms)


@dataclass(frozen=True)
class TargetNames:
    """The normalized names that predictions of one query are matched against, in the query's order, all different."""

    names: tuple[str, ...]

    @cached_property
    def place(self) -> Mapping[str, int]:
        """The position of each name."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def other_numbers(self) -> Mapping[str, int]:
        """A name that differs from a target only in grammatical number → the first such target whose plural it is."""
        found: dict[str, int] = {}
        for i, name in enumerate(self.names):
            for form in plurals(name):
                found.setdefault(form, i)
        return found


def target_names(names: Sequence[str]) -> TargetNames:
    """Targets from names as written: normalized, blanks and repeats dropped."""
    return TargetNames(tuple(dict.fromkeys(normalised(names))))


def candidate(predicted: str, targets: TargetNames, judge: Mapping[str, str | None]) -> int:
    """The index of the target that a normalized predicted name means, or −1.

    1. the target of the same name; else 2. the one in the judge's mapping (normalized), if it has an entry: an entry
    that names no target is no candidate; else 3. the first that differs only in grammatical number, either way.
    """
    if predicted in targets.place:
        return targets.place[predicted]
    if predicted in judge:
        return targets.place.get(judge[predicted] or "", UNMATCHED)
    places = [targets.place[form] for form in plurals(predicted) if form in targets.place]
    if predicted in targets.other_numbers:
        places.append(targets.other_numbers[predicted])
    return min(places, default=UNMATCHED)


def match(
    predicted: Sequence[str], targets: TargetNames, judge: Mapping[str, str | None], *, fuzzy: bool = False
) -> list[int]:
    """The index of the target for each normalized predicted name, in order, or −1. Each target is used once.

    ``fuzzy``: a name whose candidate is missing or used gets the most similar free target if similar enough. Example:
    targets Knife; "knives", "knife" → [0, −1].
    """
    free = set(range(len(targets.names)))
    taken: list[int] = []
    for name in predicted:
        place = candidate(name, targets, judge)
        if place not in free:
            place = _most_similar(name, targets, free) if fuzzy else UNMATCHED
        free.discard(place)
        taken.append(place)
    return taken


def normalised_map(mapping: Mapping[str, str | None]) -> dict[str, str | None]:
    """A judge's mapping with both sides normalized; a blank target is None."""
    return {normalise(name): normalise(target) or None if target else None for name, target in mapping.items()}


@lru_cache(maxsize=65_536)
def similarity(predicted: str, target: str) -> float:
    """``SequenceMatcher(None, predicted, target).ratio()``, at least 0.85 when one name contains the other. 0..1."""
    ratio = SequenceMatcher(None, predicted, target).ratio()
    return max(ratio, CONTAINED_SIMILARITY) if predicted in target or target in predicted else ratio


def _most_similar(name: str, targets: TargetNames, free: set[int]) -> int:
    """The most similar free target, the first of equals, if its similarity is at least 0.75; else −1."""
    best, found = LEAST_SIMILARITY, UNMATCHED
    for place in sorted(free):
        score = similarity(name, targets.names[place])
        if score > best or (found == UNMATCHED and score >= best):
            best, found = score, place
    return found
