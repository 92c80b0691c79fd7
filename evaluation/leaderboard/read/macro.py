"""One board over several benchmarks: the models that have a run on each of them, their macro means and ranks."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import numpy as np
from django.utils.translation import gettext

from annotation.common.access import gold_known_to
from annotation.models import Benchmark, Sample
from annotation.models.querysets.samples import cluster_image
from annotation.statistics import MIN_CLUSTERS, SEED, dense_codes
from evaluation.common.board_metrics import DETAILED, BoardMetric
from evaluation.metrics.catalogue import HIGHER, METRICS
from evaluation.metrics.columns import Floats, Ints, cluster_codes
from evaluation.metrics.macro import Macro, Part, macro_ranking
from evaluation.metrics.measures import RATE
from evaluation.metrics.ranking import TOP, Standing
from evaluation.metrics.selection import SELECTED
from evaluation.metrics.undecided import Range
from evaluation.models import Metric, Scoring
from evaluation.scoring.freshness import StalenessChecker
from evaluation.store.slices import Contributions, contributions
from webapp.common.errors import InvalidInput, NotFound
from webapp.common.lru_cache import LRUCache

CHUNK = 5000
MOST = 12
"""Benchmarks side by side."""
RATES = tuple(name for name, kind in SELECTED.items() if kind == RATE and METRICS[name].better == HIGHER)
"""The metrics that benchmarks are put side by side by: shares, of which more is better."""


@dataclass(frozen=True)
class _Drawn:
    """``sizes``: samples and images of each benchmark."""

    macro: Macro
    sizes: Sequence[tuple[int, int]]


_DRAWN: LRUCache[_Drawn] = LRUCache(32)


@dataclass(frozen=True)
class MacroCell:
    """A run on one benchmark. ``odd``: scored with other settings or on another gold than most runs there; ``stale``:
    its scores are not of today."""

    scoring: Scoring
    metric: BoardMetric
    odd: bool
    stale: bool


@dataclass(frozen=True)
class MacroRow:
    """A model under one setting. ``cells``: by benchmark, without those on which none of its runs has a value.
    ``standing``, ``ends``: of the macro mean; None if it lacks a benchmark, and ``ends`` also if nothing is drawn.
    """

    model: str
    setting: str
    cells: Mapping[int, MacroCell]
    standing: Standing | None = None
    ends: tuple[float, float] | None = None

    @property
    def provisional(self) -> bool:
        """Return whether a benchmark has too many unread answers, so that the row has no mean and no rank."""
        return any(cell.scoring.provisional for cell in self.cells.values())

    @property
    def range(self) -> Range:
        """The macro means that undecided answers allow, each benchmark with one weight; None without a mean."""
        if self.standing is None or self.standing.value is None:
            return None, None
        known = [cell.metric for cell in self.cells.values()]
        low = fmean((one.value if one.low is None else one.low) or 0.0 for one in known)
        high = fmean((one.value if one.high is None else one.high) or 0.0 for one in known)
        return low, high

    @property
    def place(self) -> float:
        """The sort key by the mean, the largest first."""
        return math.inf if self.standing is None or self.standing.value is None else -self.standing.value

    @property
    def numbers(self) -> dict[str, Any]:
        """Return the numbers of the row for files and the API. A rank without a range would claim too much and is
        omitted.
        """
        one, (low, high) = self.standing, self.ends or (None, None)
        found: dict[str, Any] = {"model": self.model, "setting": self.setting, "value": one.value if one else None}
        ranged = one if one is not None and one.low is not None else None
        return {
            **found,
            "low": low,
            "high": high,
            "range_low": self.range[0],
            "range_high": self.range[1],
            "provisional": self.provisional,
            "rank": ranged.rank if ranged else None,
            "rank_low": ranged.low if ranged else None,
            "rank_high": ranged.high if ranged else None,
            "p_best": ranged.p_best if ranged else None,
            "p_top3": ranged.p_top3 if ranged else None,
        }


@dataclass(frozen=True)
class MacroColumn:
    """A benchmark that is chosen; its samples with gold and their images."""

    benchmark: Benchmark
    samples: int
    clusters: int


@dataclass(frozen=True)
class CrossBenchmarkLeaderboard:
    """``rows``: on all chosen benchmarks, best first; ``lacking``: models without a value on one of them, by name.
    ``offered``: the benchmarks with ranked runs that the person may see. ``draws``: 0 if nothing was drawn.
    """

    metric: str
    offered: Sequence[Benchmark]
    columns: Sequence[MacroColumn]
    rows: Sequence[MacroRow]
    lacking: Sequence[MacroRow]
    draws: int
    seed: int

    @property
    def few(self) -> list[MacroColumn]:
        """Benchmarks with too few images to draw from."""
        return [column for column in self.columns if column.clusters < MIN_CLUSTERS]


def load_cross_benchmark_leaderboard(
    person: Any, *, on: Sequence[str] = (), metric: str = RATES[0]
) -> CrossBenchmarkLeaderboard:
    """Load the board of the benchmarks named ``on``, by default those that most models share. Five queries, one more
    when gold has changed since and two when any was scored.

    Raises ``NotFound`` for a benchmark that has no ranked run the person may see, ``InvalidInput`` for a metric that is
    none of ``RATES``, and for too many benchmarks.
    """
    if metric not in RATES:
        raise InvalidInput(
            gettext("Benchmarks can be compared by %(rates)s, not by %(metric)s.")
            % {"rates": ", ".join(RATES), "metric": metric[:60]},
            field="metric",
        )
    visible = gold_known_to(person)
    found = Scoring.objects.of_models(visible).select_related("run__model", "run__benchmark")
    scorings = list(found.order_by("run__benchmark__title", "run__benchmark", "pk"))
    offered = list({scoring.run.benchmark_id: scoring.run.benchmark for scoring in scorings}.values())
    chosen = _chosen(offered, on or _shared(scorings))
    if not chosen:
        return CrossBenchmarkLeaderboard(metric, offered, [], [], [], 0, SEED)
    theirs = [scoring for scoring in scorings if scoring.run.benchmark in chosen]
    rows = _rows(theirs, metric, StalenessChecker(*chosen))
    whole = [row for row in rows if len(row.cells) == len(chosen) and not row.provisional]
    key = (metric, tuple((scoring.pk, scoring.computed_at) for scoring in theirs))
    drawn = _DRAWN.get(key, lambda: _drawn(metric, chosen, whole))
    # Among three or fewer the chance of being among the first three says nothing.
    standings = [one if len(whole) > TOP else replace(one, p_top3=None) for one in drawn.macro.standings]
    placed = zip(whole, standings, drawn.macro.ends, strict=True)
    ranked = [replace(row, standing=standing, ends=ends) for row, standing, ends in placed]
    return CrossBenchmarkLeaderboard(
        metric,
        offered,
        [MacroColumn(benchmark, *sizes) for benchmark, sizes in zip(chosen, drawn.sizes, strict=True)],
        sorted(ranked, key=lambda row: (row.place, row.model, row.setting)),
        sorted((row for row in rows if row not in whole), key=lambda row: (row.model, row.setting)),
        drawn.macro.draws,
        drawn.macro.seed,
    )


def _shared(scorings: Sequence[Scoring]) -> list[str]:
    """Return the set of benchmarks that maximizes the number of benchmarks times the number of models with runs on
    all of them."""
    of: dict[tuple[str, str], set[str]] = {}
    for scoring in scorings:
        of.setdefault((scoring.run.model.name, scoring.run.setting), set()).add(scoring.run.benchmark.slug)
    sets = [one for one in of.values() if len(one) <= MOST]
    best = max(sets, key=lambda one: (len(one) * sum(one <= other for other in of.values()), sorted(one)), default=())
    return sorted(best)


def _chosen(offered: Sequence[Benchmark], on: Sequence[str]) -> list[Benchmark]:
    for slug in on:
        if slug not in {benchmark.slug for benchmark in offered}:
            raise NotFound(
                gettext("No benchmark %(slug)s with ranked runs, or you don't have access.") % {"slug": slug[:60]}
            )
    if len(set(on)) > MOST:
        raise InvalidInput(
            gettext("At most %(limit)s benchmarks can be compared. Choose fewer.") % {"limit": MOST}, field="on"
        )
    return [benchmark for benchmark in offered if benchmark.slug in on]


def _rows(scorings: Sequence[Scoring], metric: str, fresh: StalenessChecker) -> list[MacroRow]:
    """One query."""
    values = {
        row[0]: BoardMetric(*row[1:])
        for row in Metric.objects.filter(scoring__in=scorings, metric=metric).on_slice().for_board(DETAILED)
    }
    usual = _usual(scorings)
    cells: dict[tuple[str, str], dict[int, MacroCell]] = {}
    for scoring in scorings:
        run, value = scoring.run, values.get(scoring.pk)
        own = cells.setdefault((run.model.name, run.setting), {})
        if value is not None and value.value is not None:
            odd = _made_by(scoring) != usual[run.benchmark_id]
            own[run.benchmark_id] = MacroCell(scoring, value, odd, fresh.stale(scoring))
    return [MacroRow(model, setting, own) for (model, setting), own in cells.items()]


def _usual(scorings: Sequence[Scoring]) -> dict[int, str]:
    """Return the settings that most runs of each benchmark are scored with."""
    made: dict[int, Counter[str]] = {}
    for scoring in scorings:
        made.setdefault(scoring.run.benchmark_id, Counter())[_made_by(scoring)] += 1
    return {benchmark: counts.most_common(1)[0][0] for benchmark, counts in made.items()}


def _made_by(scoring: Scoring) -> str:
    return json.dumps([scoring.settings, scoring.gold_digest], sort_keys=True)


def _drawn(metric: str, chosen: Sequence[Benchmark], rows: Sequence[MacroRow]) -> _Drawn:
    """Two queries."""
    samples: dict[int, list[tuple[Any, ...]]] = {benchmark.pk: [] for benchmark in chosen}
    fields = ("benchmark", "pk", "key", "image_group", cluster_image(), "image_name")
    with_gold = Sample.objects.filter(benchmark__in=chosen, gold__isnull=False).order_by("key")
    for benchmark, *sample in with_gold.values_list(*fields).iterator(chunk_size=CHUNK):
        samples[benchmark].append(tuple(sample))
    values = np.array([[row.cells[one.pk].metric.value for row in rows] for one in chosen], np.float64)
    added = contributions(metric, [cell.scoring.run_id for row in rows for cell in row.cells.values()])
    parts = [
        _part(samples[one.pk], [own for row in rows if (own := added[row.cells[one.pk].scoring.run_id])])
        for one in chosen
        if None not in added.values()
    ]
    clusters = [cluster_codes(sample[1:] for sample in samples[one.pk]) for one in chosen]
    sizes = [(len(codes), dense_codes(codes)[1]) for codes in clusters]
    return _Drawn(macro_ranking(values.reshape(len(chosen), len(rows)), parts), sizes)


def _part(samples: Sequence[tuple[Any, ...]], runs: Sequence[Contributions]) -> Part:
    """Return the contribution of each run to the metric on each sample: at most one row of a run contributes to one."""
    pks = np.array([sample[0] for sample in samples], np.int64)
    top = _totals(pks, [(run.sample, run.numerator) for run in runs])
    bottom = _totals(pks, [(run.sample, run.denominator) for run in runs])
    return Part(top, bottom, cluster_codes(sample[1:] for sample in samples))


def _totals(pks: Ints, runs: Sequence[tuple[Ints, Floats]]) -> Floats:
    """(samples, runs), of the sample of each row and what it adds."""
    order, found = np.argsort(pks), np.zeros((len(pks), len(runs)))
    for column, (sample, added) in enumerate(runs):
        rows = np.flatnonzero((added != 0) & np.isin(sample, pks))
        found[order[np.searchsorted(pks, sample[rows], sorter=order)], column] = added[rows]
    return found
