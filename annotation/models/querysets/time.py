"""Questions about recorded work time."""

from __future__ import annotations

from datetime import date
from typing import Any, Self

from django.db import models
from django.db.models import Sum

from annotation.models.querysets.removed import with_removed


class WorkSessionQuerySet(models.QuerySet[Any]):
    def on(self, benchmark: Any) -> Self:
        """Also of samples that were deleted or withdrawn: the time was worked."""
        return self.filter(with_removed("sample", benchmark))

    def between(self, first: date, after: date) -> Self:
        """Keep the days from ``first`` up to, but not including, ``after``."""
        return self.filter(day__gte=first, day__lt=after)

    def seconds_by_sample(self) -> dict[int, float]:
        """Active seconds per sample; samples without any are omitted. One query."""
        rows = self.order_by().values_list("sample").annotate(seconds=Sum("active_seconds"))
        return {sample: seconds for sample, seconds in rows if seconds > 0}
