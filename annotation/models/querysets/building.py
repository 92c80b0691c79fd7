"""Questions about the items of a building board."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from django.db import models
from django.db.models import Count, Exists, F, Min, OuterRef, Q, Window
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

    def hidden_from(self, person: Any) -> Self:
        """Keep the items at QC-I whose text this person did not check since they came there: until then, nothing may
        show them what others found."""
        decisions = self.model._meta.get_field("decisions").related_model.objects
        own = decisions.filter(
            item=OuterRef("pk"), person=person, stage="text_check", created_at__gte=OuterRef("entered_at")
        )
        return self.filter(~Exists(own), stage="text_check")


class BuildDecisionQuerySet(models.QuerySet[Any]):
    def of_images(self, benchmark: Any) -> Self:
        """Keep what people decided about images (QC-III). It is a review."""
        return self.filter(item__benchmark=benchmark, stage="image_check", person__isnull=False)


class ItemAuditQuerySet(models.QuerySet[Any]):
    def standing(self) -> Self:
        """Keep those that count: a person compared them, or their item waits at QC-I in the version that was read."""
        unchanged = Q(item__stage="text_check", item__version=F("version"))
        return self.filter(Q(agrees__isnull=False) | unchanged)

    def waiting(self) -> Self:
        """Keep those that a person or the end of their batch can still decide."""
        return self.filter(
            agrees=None, batch__state__in=("asking", "drawn"), item__stage="text_check", item__version=F("version")
        )
