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
        """Of the days from ``first`` on, before ``after``."""
        return self.filter(day__gte=first, day__lt=after)

    def seconds_by_sample(self) -> dict[int, float]:
        """Active seconds of each sample with any. One query."""
        rows = self.order_by().values_list("sample").annotate(seconds=Sum("active_seconds"))
        return {sample: seconds for sample, seconds in rows if seconds > 0}
