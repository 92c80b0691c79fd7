"""Questions about guidelines."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from django.db import models
from django.db.models import Exists, OuterRef


class GuidelineQuerySet(models.QuerySet[Any]):
    def in_force(self, benchmark: Any, at: datetime | None = None) -> Any:
        """The guidelines in force at a time, by default now; None before the first."""
        published = self.filter(benchmark=benchmark)
        return (published.filter(published_at__lte=at) if at else published).order_by("-number").first()

    def to_read_by(self, user: Any, benchmark: Any) -> Self:
        """Keep guidelines that this person must read before they continue, and has not read in this or a later form."""
        readings = self.model.readings.rel.related_model.objects
        read = readings.filter(
            user=user, guideline__benchmark=OuterRef("benchmark"), guideline__number__gte=OuterRef("number")
        )
        return self.filter(~Exists(read), benchmark=benchmark, must_read=True)
