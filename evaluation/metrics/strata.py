"""A stratified random sample: which strata there are, how many samples each gives, and which ones are drawn. Source:
docs/metrics.md#people."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LEAST = 2
"""Samples drawn of each stratum: a variance within it needs two."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """One or more groups that are drawn from together: ``size`` N_h samples, of which ``drawn`` n_h are taken."""

    groups: tuple[str, ...]
    size: int
    drawn: int

    @property
    def name(self) -> str:
        return " | ".join(self.groups)


def plan_strata(sizes: Mapping[str, int], n: int) -> list[Stratum]:
    """The strata of a sample of ``n`` from groups of these ``sizes``: n_h by largest remainder of n·W_h, W_h = N_h / N.

    Every n_h is at least 2: groups with n·W_h < 2 are merged with their neighbors in the order of ``sizes``, until the
    merged ones have 2. The rest joins the last merged stratum, or else the smallest one. n_h is at most N_h,
    and Σ n_h = n. Raises ``ValueError`` for n below 2 or above N.
    Example: sizes 50, 30, 15, 5 and n = 10 have quotas 5, 3, 1.5, 0.5: the last two are merged; n_h is 5, 3, 2.
    """
    total = sum(sizes.values())
    if not LEAST <= n <= total:
        raise ValueError(f"A sample of {n} from {total}: between {LEAST} and {total} are possible.")
    merged = _merged({name: size for name, size in sizes.items() if size}, n, total)
    counts = [sum(sizes[name] for name in names) for names in merged]
    return [
        Stratum(names, size, k) for names, size, k in zip(merged, counts, largest_remainder(counts, n), strict=True)
    ]


def _merged(sizes: Mapping[str, int], n: int, total: int) -> list[tuple[str, ...]]:
    """The groups of each stratum. Quotas are compared as whole numbers: n·N_h with 2·N."""
    enough = LEAST * total
    found: list[list[str]] = []
    small: list[str] = []
    last = -1
    for name, size in sizes.items():
        if n * size >= enough:
            found.append([name])
            continue
        small.append(name)
        if n * sum(sizes[one] for one in small) >= enough:
            last = len(found)
            found.append(small)
            small = []
    if small:
        if last < 0:
            last = min(range(len(found)), key=lambda place: sum(sizes[one] for one in found[place]))
        found[last] = [*found[last], *small]
    return [tuple(names) for names in found]


def largest_remainder(sizes: Sequence[int], n: int) -> list[int]:
    """``n`` divided in proportion to ``sizes``: each gets ⌊n·N_h / N⌋, and those with the largest remainders one more;
    of equal remainders the larger and then the earlier one. Example: 3, 3, 4 and 5: quotas 1.5, 1.5, 2 give 2, 1, 2."""
    total = sum(sizes)
    shares = [divmod(n * size, total) for size in sizes]
    left = n - sum(whole for whole, _ in shares)
    order = sorted(range(len(sizes)), key=lambda place: (-shares[place][1], -sizes[place], place))
    more = set(order[:left])
    return [whole + (place in more) for place, (whole, _) in enumerate(shares)]


def draw_strata(members: Mapping[str, Sequence[int]], strata: Sequence[Stratum], seed: str) -> list[list[int]]:
    """The samples drawn from each stratum, all subsets of a size alike likely. ``members``: of each group, in an order
    that does not change: then the same seed draws the same."""
    generator = random.Random(seed)
    pools = [[one for group in stratum.groups for one in members[group]] for stratum in strata]
    return [generator.sample(pool, stratum.drawn) for pool, stratum in zip(pools, strata, strict=True)]
