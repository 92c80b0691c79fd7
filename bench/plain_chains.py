"""Toolchains in plain Python: backtracking, Levenshtein, LCS, Kendall tau (docs/metrics.md#effective-toolchain and
#statistics)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Protocol

from evaluation.metrics.columns import ChainStatus
from evaluation.metrics.names import canonical_name


class ChainStep(Protocol):
    """What backtracking needs of a step."""

    @property
    def inputs(self) -> tuple[int, ...]: ...
    @property
    def image_out(self) -> int: ...
    @property
    def ok(self) -> bool: ...


def effective_chain(steps: Sequence[ChainStep], final_image: int) -> tuple[set[int], int]:
    """The positions on the effective toolchain, and its status."""
    successful = [i for i, s in enumerate(steps) if s.ok]
    if not successful or final_image == 0:
        return set(), ChainStatus.EMPTY
    final = successful[-1] if final_image < 0 else _producer(steps, final_image, len(steps))
    if final is None:
        return set(), ChainStatus.BROKEN
    reached, waiting = {final}, [final]
    while waiting:
        at = waiting.pop()
        if not steps[at].inputs:
            return set(), ChainStatus.BROKEN
        for picture in steps[at].inputs:
            if picture == 0:
                continue
            made = _producer(steps, picture, at)
            if made is None:
                return set(), ChainStatus.BROKEN
            if made not in reached:
                reached.add(made)
                waiting.append(made)
    return reached, ChainStatus.OK


def _producer(steps: Sequence[ChainStep], picture: int, before: int) -> int | None:
    return next((i for i in range(before - 1, -1, -1) if steps[i].ok and steps[i].image_out == picture > 0), None)


def alignment(chains: Sequence[Sequence[str] | None], predicted: Sequence[str]) -> dict[str, float]:
    """Distance, LCS length and tau of the predicted names and the closest chain; the first, if any, is the gold's."""
    b = [canonical_name(n) for n in predicted]
    found = [_aligned(place, names, b) for place, names in enumerate(chains) if names is not None]
    return min(
        found,
        key=lambda one: (one["edit_distance"], -one["lcs"], one["reference_chain"]),
        default=dict.fromkeys(("reference_chain", "reference_calls", "edit_distance", "lcs"), -1)
        | {"kendall_tau": math.nan},
    )


def _aligned(place: int, names: Sequence[str], b: Sequence[str]) -> dict[str, float]:
    a = [canonical_name(n) for n in names]
    found = {"edit_distance": levenshtein(a, b), "lcs": longest_common(a, b), "kendall_tau": kendall(a, b)}
    return {"reference_chain": place, "reference_calls": len(a)} | found


def levenshtein(a: Sequence[str], b: Sequence[str]) -> int:
    line = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, line = line, [i]
        for j, y in enumerate(b, 1):
            line.append(min(above[j] + 1, line[j - 1] + 1, above[j - 1] + (x != y)))
    return line[-1]


def longest_common(a: Sequence[str], b: Sequence[str]) -> int:
    line = [0] * (len(b) + 1)
    for x in a:
        above, line = line, [0]
        for j, y in enumerate(b, 1):
            line.append(above[j - 1] + 1 if x == y else max(above[j], line[j - 1]))
    return line[-1]


def kendall(a: Sequence[str], b: Sequence[str]) -> float:
    places = [(a.index(n), b.index(n)) for n in dict.fromkeys(a) if n in b]
    signs = [1 if (p[0] < q[0]) == (p[1] < q[1]) else -1 for p, q in combinations(places, 2)]
    return sum(signs) / len(signs) if signs else math.nan
