"""Questions about the items of a building board."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from django.db import models
from django.db.models import Count, F, Min, Window
from django.db.models.functions import RowNumber


class BuildItemQuerySet(models.QuerySet[Any]):
    def kept(self) -> Self:
        """Leave out what was discarded."""
        return self.exclude(stage="discarded")

    def by_stage(self) -> dict[str, tuple[int, datetime]]:
        """Of each stage with items, how many there are, and since when the oldest waits there. One query."""
        rows = self.order_by().values_list("stage").annotate(n=Count("pk"), since=Min("entered_at"))
        return {stage: (n, since) for stage, n, since in rows}

    def oldest_of_each(self, most: int) -> Self:
        """Keep the items that have waited longest in their stage, at most this many of each."""
        place = Window(RowNumber(), partition_by=[F("stage")], order_by=[F("entered_at").asc(), F("pk").asc()])
        return self.annotate(place=place).filter(place__lte=most).order_by("entered_at", "pk")
