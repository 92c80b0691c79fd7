"""Questions about recorded work time."""

from __future__ import annotations

from datetime import date
from typing import Any, Self

from django.db import models
from django.db.models import Sum


class WorkSessionQuerySet(models.QuerySet[Any]):
    def on(self, benchmark: Any) -> Self:
        return self.filter(sample__benchmark=benchmark)

    def between(self, first: date, after: date) -> Self:
        """Keep the days from ``first`` up to, but not including, ``after``."""
        return self.filter(day__gte=first, day__lt=after)

    def seconds_by_sample(self) -> dict[int, float]:
        """Active seconds per sample; samples without any are omitted. One query."""
        rows = self.order_by().values_list("sample").annotate(seconds=Sum("active_seconds"))
        return {sample: seconds for sample, seconds in rows if seconds > 0}
