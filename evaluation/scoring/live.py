"""The metrics of a run whose rows still arrive, computed as by scoring and cached until the run changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from annotation.models import ContentChange
from evaluation.metrics.aggregate import aggregate
from evaluation.metrics.columns import MetricRow
from evaluation.metrics.measures import all_measures, evaluated_rows
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Run
from evaluation.scoring.load.columns import load_run, load_samples
from evaluation.scoring.settings import settings_of
from webapp.common.lru_cache import LRUCache

MOST_READ = 2000
"""Trajectories, and samples, from which metrics are computed while rows arrive."""
_KEPT: LRUCache[Mapping[str, MetricRow]] = LRUCache(64)


def live_metrics(run: Run, names: Collection[str]) -> Mapping[str, MetricRow]:
    """Compute these metrics of the current rows of a run, by name; empty if the run or benchmark is too large."""
    if run.trajectories.count() > MOST_READ or run.benchmark.samples.count() > MOST_READ:
        return {}
    settings, [number] = settings_of(run.benchmark), ContentChange.objects.numbers([run.benchmark_id]).values()
    key = (run.pk, run.created_at, run.revision, number, str(settings), tuple(sorted(names)))
    return _KEPT.get(key, lambda: _computed(run, names, settings))


def _computed(run: Run, names: Collection[str], settings: MetricSettings) -> Mapping[str, MetricRow]:
    samples = load_samples(run.benchmark)
    loaded = load_run(run, samples)
    scores = score_run(samples.columns, loaded.columns, settings)
    rows = evaluated_rows(samples.columns, scores, settings)
    wanted = [
        one for one in all_measures(samples.columns, scores, loaded.columns, rows, settings) if one.metric in names
    ]
    made = aggregate(samples.columns, scores, loaded.columns, settings, slices=(), measures=wanted)
    return {row.metric: row for row in made if row.metric in names}
