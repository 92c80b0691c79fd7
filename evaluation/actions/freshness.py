"""Whether scores are of today's gold and settings, without reading the gold."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import Count, Max, Subquery

from annotation.models import Benchmark, Gold
from evaluation.actions.metric_settings import settings_of
from evaluation.models import Scoring
from webapp.common.bulk import HowMany


class Freshness:
    """Of one benchmark: two queries, and one more when any gold has changed since it was asked last."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.settings = settings_of(benchmark)
        self._changed = self.settings.changed()
        self._last, self._count = _gold(benchmark.pk, benchmark.created_at, _state_of_gold(benchmark))

    def stale(self, scoring: Scoring) -> bool:
        changed = self._last is not None and self._last > scoring.computed_at
        return (
            scoring.stale
            or changed
            or scoring.samples_n != self._count
            or scoring.settings != self._changed
        )  # fmt: skip


def _state_of_gold(benchmark: Benchmark) -> tuple[Any, ...]:
    """What is another after any change of gold, of whichever benchmark: how much there is, and the last made and the
    last accepted. Each part is read from an index, a twentieth of the time of counting the gold of one benchmark."""
    rows = Gold.objects.order_by()
    state: tuple[Any, ...] = Benchmark.objects.filter(pk=benchmark.pk).values_list(
        HowMany(rows.values("pk")),
        Subquery(rows.order_by("-pk").values("pk")[:1]),
        Subquery(rows.order_by("-accepted_at").values("accepted_at")[:1]),
    ).get()  # fmt: skip
    return state


@lru_cache(maxsize=64)
def _gold(benchmark: int, _created: datetime, _state: tuple[Any, ...]) -> tuple[datetime | None, int]:
    """When the last gold was accepted, and how much there is; counted anew when the state of gold is another."""
    found = Gold.objects.filter(sample__benchmark=benchmark).aggregate(last=Max("accepted_at"), n=Count("pk"))
    return found["last"], found["n"]
