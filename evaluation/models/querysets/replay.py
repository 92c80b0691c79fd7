"""Named queries for stored replays."""

from __future__ import annotations

from typing import Any, Self

from django.db import models
from django.db.models import F


class ReplayedStepQuerySet(models.QuerySet[Any]):
    def in_force(self) -> Self:
        """Keep replays that replace the record: their calls were run again on the current image of the sample."""
        same = F("replay__trajectory__sample__image__sha256")
        return self.filter(ok__isnull=False, replay__image=same)
