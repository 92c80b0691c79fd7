"""Matched pairs [P 5.4]: each model on the real and on the generated image of the same plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotation.models import Benchmark, FacetValue
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, Ints
from evaluation.metrics.faithfulness import Effect, paired_effect
from evaluation.metrics.significance import holm
from evaluation.models import Run
from evaluation.store.results import successes_of

PAIR, ORIGIN = "pair", "origin"
SIDES = ("real", "generated")


@dataclass(frozen=True)
class MatchedPairs:
    """``real[i]`` and ``generated[i]``: the primary keys of the samples of a pair. ``incomplete``: pairs without one of
    the two, or with several of one."""

    real: Ints
    generated: Ints
    incomplete: int

    def __len__(self) -> int:
        return len(self.real)


@dataclass(frozen=True)
class SideDifference:
    """A run on the pairs of which it has both sides: ``effect.table.before`` is the share of successes on real images,
    ``after`` on generated ones, and the difference is generated − real. ``dropped``: pairs that it has not completely.
    ``p_holm``: p adjusted over all runs shown."""

    run: Run
    effect: Effect
    dropped: int
    p_holm: float | None = None


def matched_pairs(benchmark: Benchmark) -> MatchedPairs:
    """The pairs of samples with gold, by the facets ``pair`` and ``origin``. One query."""
    rows = FacetValue.objects.filter(
        sample__benchmark=benchmark, sample__gold__isnull=False, name__in=(PAIR, ORIGIN), position=0
    )
    facets: dict[int, dict[str, str]] = {}
    for sample, name, value in rows.order_by().values_list("sample_id", "name", "value"):
        facets.setdefault(sample, {})[name] = value
    found: dict[str, dict[str, list[int]]] = {}
    for sample, said in facets.items():
        if PAIR in said and said.get(ORIGIN) in SIDES:
            found.setdefault(said[PAIR], {}).setdefault(said[ORIGIN], []).append(sample)
    whole = [sides for _, sides in sorted(found.items()) if [len(sides.get(side, ())) for side in SIDES] == [1, 1]]
    real, generated = (np.array([sides[side][0] for sides in whole], np.int64) for side in SIDES)
    return MatchedPairs(real, generated, len(found) - len(whole))


def compare_sides(pairs: MatchedPairs, runs: Sequence[Run]) -> list[SideDifference]:
    """The paired difference of each run that has both sides of a pair, with McNemar's exact test over pairs: a pair is
    a cluster, so the sign-flip test gives the same number. Source: docs/metrics.md#two-runs."""
    found = [one for run in runs if (one := _of_run(pairs, run)).effect.table.n]
    adjusted = holm([one.effect.p_cluster for one in found])
    return [replace(one, p_holm=p) for one, p in zip(found, adjusted, strict=True)]


def _of_run(pairs: MatchedPairs, run: Run) -> SideDifference:
    known = successes_of(run)
    words = {True: TRUE, False: FALSE, None: UNKNOWN}
    real, generated = (
        np.array([words[known.get(sample)] for sample in side.tolist()], np.int64)
        for side in (pairs.real, pairs.generated)
    )
    effect = paired_effect(real, generated, np.arange(len(pairs)))
    return SideDifference(run, effect, len(pairs) - effect.table.n)
