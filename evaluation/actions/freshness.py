"""Whether scores are of today's gold and settings, without reading the gold."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache

from django.db.models import Count, Max

from annotation.models import Benchmark, ContentChange, Gold
from evaluation.actions.metric_settings import settings_by_benchmark
from evaluation.models import Scoring

State = tuple[datetime | None, int]
"""When the last gold of a benchmark was accepted, and how much there is."""


class Freshness:
    """Of one benchmark or several: two queries, and one for each benchmark that has changed since it was asked last.

    Every page that shows scores asks here, so that none calls a number today's that another calls an earlier one.
    ``numbers``: the change numbers of the benchmarks where they were just asked for, which saves a query.
    """

    def __init__(self, *benchmarks: Benchmark, numbers: Mapping[int, int] | None = None) -> None:
        self.settings = settings_by_benchmark(benchmarks) if benchmarks else {}
        if benchmarks and numbers is None:
            numbers = ContentChange.objects.numbers([benchmark.pk for benchmark in benchmarks])
        self._gold = {one.pk: _gold(one.pk, one.created_at, (numbers or {})[one.pk]) for one in benchmarks}
        self._changed = {benchmark: settings.changed() for benchmark, settings in self.settings.items()}

    def stale(self, scoring: Scoring) -> bool:
        """Of a scoring whose run is loaded."""
        benchmark = scoring.run.benchmark_id
        last, count = self._gold[benchmark]
        changed = last is not None and last > scoring.computed_at
        return (
            scoring.stale
            or changed
            or scoring.samples_n != count
            or scoring.settings != self._changed[benchmark]
        )  # fmt: skip


@lru_cache(maxsize=256)
def _gold(benchmark: int, _created_at: datetime, _number: int) -> State:
    """Counted anew when the benchmark has another change number."""
    found = Gold.objects.filter(sample__benchmark=benchmark).aggregate(last=Max("accepted_at"), n=Count("pk"))
    return found["last"], found["n"]
