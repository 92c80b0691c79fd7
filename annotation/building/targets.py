"""Which tools the next items ask for: each tool once alone, then pairs and triples of the least-used ones."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

SIZES = (1, 2, 3)
MOST_TRIED = 5000
"""Combinations that are compared when no new one keeps the use of all tools level."""
Combination = frozenset[str]


@dataclass(frozen=True, slots=True)
class Use:
    """How often the tools are used in combinations of one size. ``counts``: by tool, 0 included."""

    size: int
    counts: dict[str, int]

    @property
    def least(self) -> int:
        return min(self.counts.values(), default=0)

    @property
    def most(self) -> int:
        return max(self.counts.values(), default=0)


def use_of(tools: Iterable[str], used: Collection[Combination], size: int) -> Use:
    """The use of each tool in the combinations of this size, each combination counted once."""
    counted = Counter(tool for one in set(used) if len(one) == size for tool in one)
    return Use(size, {tool: counted[tool] for tool in tools})


def draw(
    tools: Sequence[str], used: Iterable[Combination], count: int, *, sizes: Sequence[int] = SIZES, seed: str = ""
) -> list[tuple[str, ...]]:
    """The next ``count`` combinations, fewer if there are no further ones. None repeats one of ``used``.

    Each tool comes alone first, if 1 is in ``sizes``; then pairs and triples take turns. Of one size, the least-used
    tools come first, so that the use of two tools differs by at most one, and by two only where every other
    combination exists already. ``seed`` decides between tools of equal use.
    """
    known = set(used)
    drawn: list[tuple[str, ...]] = []
    for at in range(count):
        found = _next(tools, known, sizes, f"{seed}/{len(known)}/{at}")
        if found is None:
            break
        known.add(frozenset(found))
        drawn.append(found)
    return drawn


def _next(tools: Sequence[str], known: set[Combination], sizes: Sequence[int], seed: str) -> tuple[str, ...] | None:
    if 1 in sizes and use_of(tools, known, 1).least == 0:
        return _combination(tools, known, 1, seed)
    larger = sorted((size for size in sizes if size > 1), key=lambda size: sum(len(one) == size for one in known))
    return next((found for size in larger if (found := _combination(tools, known, size, seed))), None)


def _combination(tools: Sequence[str], known: set[Combination], size: int, seed: str) -> tuple[str, ...] | None:
    counts = use_of(tools, known, size).counts
    order = sorted(tools, key=lambda tool: (counts[tool], hashlib.sha256(f"{seed}/{tool}".encode()).digest()))

    def spread(chosen: tuple[str, ...]) -> int:
        after = {tool: count + (tool in chosen) for tool, count in counts.items()}
        return max(after.values()) - min(after.values())

    new = (one for one in combinations(order, size) if frozenset(one) not in known)
    return min(_until_level(new, spread), key=spread, default=None)


def _until_level(found: Iterable[tuple[str, ...]], spread: Callable[[tuple[str, ...]], int]) -> list[tuple[str, ...]]:
    """The combinations up to the first that keeps the use level; at most ``MOST_TRIED``."""
    tried: list[tuple[str, ...]] = []
    for one in islice(found, MOST_TRIED):
        tried.append(one)
        if spread(one) <= 1:
            break
    return tried
