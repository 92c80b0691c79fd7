"""Named questions about replays that were kept."""

from __future__ import annotations

from typing import Any, Self

from django.db import models
from django.db.models import F


class ReplayedStepQuerySet(models.QuerySet[Any]):
    def in_force(self) -> Self:
        """What replaces the record: calls that were run again, on the image that the sample has now."""
        same = F("replay__trajectory__sample__image__sha256")
        return self.filter(ok__isnull=False, replay__image=same)
