"""Whether scores are of today's gold and settings, without reading the gold."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import Count, Max, Subquery

from annotation.models import Benchmark, Gold
from evaluation.actions.metric_settings import settings_by_benchmark
from evaluation.models import Scoring
from webapp.common.bulk import HowMany

State = tuple[datetime | None, int]
"""When the last gold of a benchmark was accepted, and how much there is."""
GoldState = tuple[Any, ...]


class Freshness:
    """Of one benchmark or several: two queries, and one more when any gold has changed since the same were asked last.

    Every page that shows scores asks here, so that none calls a number today's that another calls an earlier one.
    ``state``: the values of ``state_of_gold`` where they were just asked for, which saves a query.
    """

    def __init__(self, *benchmarks: Benchmark, state: GoldState | None = None) -> None:
        self.settings = settings_by_benchmark(benchmarks) if benchmarks else {}
        named = tuple((benchmark.pk, benchmark.created_at) for benchmark in benchmarks)
        if named and state is None:
            state = Benchmark.objects.filter(pk=named[0][0]).values_list(*state_of_gold()).get()
        self._gold = _gold(named, state) if state is not None else {}
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


def state_of_gold() -> tuple[Subquery, ...]:
    """What is another after any change of gold, of whichever benchmark: how much there is, and the last made and the
    last accepted. Each part is read from an index, a twentieth of the time of counting the gold of one benchmark."""
    rows = Gold.objects.order_by()
    return (
        HowMany(rows.values("pk")),
        Subquery(rows.order_by("-pk").values("pk")[:1]),
        Subquery(rows.order_by("-accepted_at").values("accepted_at")[:1]),
    )


@lru_cache(maxsize=64)
def _gold(benchmarks: tuple[tuple[int, datetime], ...], _state: GoldState) -> Mapping[int, State]:
    """By benchmark; counted anew when the state of gold is another."""
    pks = [pk for pk, _ in benchmarks]
    rows = Gold.objects.filter(sample__benchmark__in=pks).order_by().values_list("sample__benchmark")
    found = {pk: (last, count) for pk, last, count in rows.annotate(last=Max("accepted_at"), n=Count("pk"))}
    return {pk: found.get(pk, (None, 0)) for pk in pks}
