"""Two to six runs on the samples they share, as records: the first against each other, and where two of them differ.

A number here is the one of the leaderboard, from the same function over the same scores. Fixed queries: three, one for
the slices, and one for each run that was not looked at since it was scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.db.models import F
from django.utils.translation import gettext
from numpy.typing import NDArray

from annotation.models import Benchmark, FacetValue
from annotation.statistics import Interval
from evaluation.common.compared import ComparedSamples, calling_between, compared_samples
from evaluation.metrics.calling import CallingEffect
from evaluation.metrics.columns import TRUE
from evaluation.metrics.comparison import Comparison, Pairing, common_rows, compare
from evaluation.metrics.families import REFERENCE, SLICES
from evaluation.metrics.grounding_comparison import LookComparison, compare_grounding
from evaluation.metrics.resampling import resampled_difference
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.significance import holm
from evaluation.metrics.slices import COUNTED_BY, natural
from evaluation.models import Metric, Run, Standing
from evaluation.store.results import Results, load_results
from webapp.common.errors import NotFound

Bools = NDArray[np.bool_]
CELLS = ("both", "a_only", "b_only", "neither")
"""The cells of two by two: both correct, only the first, only the second, neither."""
MOST_SLICES = 14
"""Slices shown when no facet is chosen: facets are taken whole, in the order of their names, while they fit."""


def comparable_runs(benchmark: Benchmark) -> list[Run]:
    """The runs that can be compared: scored, and not all of it errors. Best by accuracy first, baselines last."""
    alive = Run.objects.of(benchmark).scored().filter(
        scoring__trajectories_n__gt=F("scoring__failed_n")
    )  # fmt: skip
    places = dict(
        Standing.objects.filter(scoring__run__benchmark=benchmark, metric="accuracy", rank__isnull=False)
        .values_list("scoring__run_id", "rank")
    )  # fmt: skip
    return sorted(alive, key=lambda run: (run.pk not in places, places.get(run.pk, 0), str(run)))


def counts_of(runs: Sequence[Run]) -> list[Mapping[str, Any]]:
    """Return the counts that are always shown of each scored run: failed, unread, undecided, ... One query."""
    rows = Metric.objects.filter(scoring__run__in=runs, metric=COUNTED_BY, slice_by="")
    found = dict(rows.values_list("scoring__run_id", "detail"))
    return [found.get(run.pk, {}) for run in runs]


@dataclass(frozen=True)
class SliceDifference:
    """The second run against the first on one value of a facet; p by image, adjusted over all slices shown."""

    by: str
    value: str
    found: Comparison


@dataclass(frozen=True)
class RunComparison:
    """``pairs``: the first run compared with each other one, p adjusted over them; ``slices``, ``look``, ``resampled``
    (the bootstrap interval of the difference): of the first pair.

    ``calling``: the effect of calling tools, if one of the first two runs made calls and the other made none; else
    None. ``common``: samples that all of them have; ``samples``: all with gold. ``cells``: keys of the samples of each
    cell of the first pair, the largest difference in coverage first. ``facets``: names of facets for slices.
    """

    runs: Sequence[Run]
    settings: MetricSettings
    samples: int
    clusters: int
    common: int
    pairs: Sequence[Comparison]
    slices: Sequence[SliceDifference]
    look: LookComparison
    calling: tuple[Run, Run, CallingEffect] | None
    resampled: Interval | None
    facets: Sequence[str]
    cells: Mapping[str, Sequence[int]]

    @property
    def clustered(self) -> bool:
        """Whether samples share images: p is then of the sign flip over these."""
        return any(one.shares_clusters for one in self.pairs)

    @property
    def other_settings(self) -> list[Run]:
        """Runs scored with other settings than the first: not comparable with it."""
        return [run for run in self.runs if run.scoring.settings != self.runs[0].scoring.settings]

    @property
    def other_gold(self) -> list[Run]:
        return [run for run in self.runs if run.scoring.gold_digest != self.runs[0].scoring.gold_digest]


def compare_runs(benchmark: Benchmark, runs: Sequence[Run], *, by: str = "") -> RunComparison:
    """``runs``: two or more that are scored. ``by``: the facet whose values are the slices, default those that fit.

    Raises ``NotFound`` for a facet that no sample has.
    """
    settings = MetricSettings.from_mapping(runs[0].scoring.settings)
    samples = compared_samples(benchmark)
    results = [load_results(run).on(samples.pks) for run in runs]
    found = [compare(samples, results[0], other, settings) for other in results[1:]]
    masks = facet_masks(benchmark, samples)
    return RunComparison(
        runs=runs,
        settings=settings,
        samples=len(samples.pks),
        clusters=len(np.unique(samples.cluster)),
        common=len(_common(results)),
        pairs=_adjusted(found, REFERENCE),
        slices=_differences(_chosen(masks, by), samples, results, settings),
        look=compare_grounding(samples, results[0], results[1]),
        calling=_calling(runs, samples, results, settings),
        resampled=_resampled(samples, results[0], results[1], settings),
        facets=[name for name, values in masks.items() if len(values) > 1],
        cells=_cells(samples, results[0], results[1], settings),
    )


def _calling(
    runs: Sequence[Run], samples: ComparedSamples, results: Sequence[Results], settings: MetricSettings
) -> tuple[Run, Run, CallingEffect] | None:
    """The run without tools, the one with them, and what calling did; None unless just one of the first two made a
    call."""
    used = [bool(one.called.any()) for one in results[:2]]
    if used[0] == used[1]:
        return None
    bare, tools = (0, 1) if used[1] else (1, 0)
    return runs[bare], runs[tools], calling_between(samples, results[bare], results[tools], settings)


def _common(results: Sequence[Results]) -> NDArray[np.int64]:
    shared = results[0].sample
    for other in results[1:]:
        shared = np.intersect1d(shared, other.sample, assume_unique=True)
    return shared


def _adjusted(found: Sequence[Comparison], family: str) -> list[Comparison]:
    adjusted = holm([one.p_cluster for one in found])
    size = sum(p is not None for p in adjusted)
    named = zip(found, adjusted, strict=True)
    return [replace(one, p_holm=p, p_family=family, p_family_size=size) for one, p in named]


def facet_masks(benchmark: Benchmark, samples: ComparedSamples) -> dict[str, dict[str, Bools]]:
    """Return which samples have each value of each facet, facets and values in order. One query."""
    row_of = {pk: row for row, pk in enumerate(samples.pks)}
    rows: dict[str, dict[str, list[int]]] = {}
    values = FacetValue.objects.filter(sample__benchmark=benchmark).order_by()
    for name, value, sample in values.values_list("name", "value", "sample_id").iterator(chunk_size=5000):
        if sample in row_of:
            rows.setdefault(name, {}).setdefault(value, []).append(row_of[sample])
    return {name: {value: _mask(members[value], samples) for value in sorted(members, key=natural)}
            for name, members in sorted(rows.items())}  # fmt: skip


def _mask(rows: list[int], samples: ComparedSamples) -> Bools:
    mask = np.zeros(len(samples.pks), bool)
    mask[rows] = True
    return mask


def _chosen(masks: Mapping[str, Mapping[str, Bools]], by: str) -> list[tuple[str, str, Bools]]:
    if by and by not in masks:
        raise NotFound(
            gettext("The samples have no facet %(by)s. They have %(facets)s.")
            % {"by": by[:60], "facets": ", ".join(masks) or gettext("none")}
        )
    if by:
        return [(by, value, mask) for value, mask in masks[by].items()]
    chosen: list[tuple[str, str, Bools]] = []
    for name, values in masks.items():
        if 1 < len(values) <= MOST_SLICES - len(chosen):
            chosen += [(name, value, mask) for value, mask in values.items()]
    return chosen


def _differences(
    chosen: Sequence[tuple[str, str, Bools]],
    samples: ComparedSamples,
    results: Sequence[Results],
    settings: MetricSettings,
) -> list[SliceDifference]:
    found = [compare(samples, results[0], results[1], settings, only=mask) for _, _, mask in chosen]
    return [
        SliceDifference(by, value, one) for (by, value, _), one in zip(chosen, _adjusted(found, SLICES), strict=True)
    ]  # fmt: skip


def _resampled(samples: ComparedSamples, a: Results, b: Results, settings: MetricSettings) -> Interval | None:
    pairing = common_rows(a, b, settings)
    right = [(of.correct[rows] == TRUE).astype(np.int64) for of, rows in ((a, pairing.first), (b, pairing.second))]
    return resampled_difference(right[0], right[1], samples.cluster[a.sample[pairing.first]])


def _cells(samples: ComparedSamples, a: Results, b: Results, settings: MetricSettings) -> dict[str, list[int]]:
    pairing = common_rows(a, b, settings)
    right_a, right_b = a.correct[pairing.first] == 1, b.correct[pairing.second] == 1
    order = _by_difference(a, b, pairing)
    found = {}
    for name, inside in zip(CELLS, (right_a & right_b, right_a & ~right_b, ~right_a & right_b, ~right_a & ~right_b),
                            strict=True):  # fmt: skip
        rows = a.sample[pairing.first[order[inside[order]]]]
        found[name] = [samples.pks[row] for row in rows.tolist()]
    return found


def _by_difference(a: Results, b: Results, pairing: Pairing) -> NDArray[np.int64]:
    """Places in the pairing, the largest difference in coverage first; without gold or crop none, in order of keys."""
    apart = np.abs(a.coverage[pairing.first] - b.coverage[pairing.second])
    return np.argsort(-np.nan_to_num(apart, nan=-1.0), kind="stable")
