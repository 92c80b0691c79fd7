"""Named questions about lineages."""

from __future__ import annotations

from typing import Any, Self

from django.db import models
from django.db.models import Count, Max, Min

from evaluation.models.querysets.live import live


class LineageQuerySet(models.QuerySet[Any]):
    def with_steps(self) -> Self:
        """Add ``runs_n``, ``first_step`` and ``last_step``; null if a lineage has no run. Staged and deleted runs don't
        count."""
        there = live("runs__")
        return self.annotate(
            runs_n=Count("runs", filter=there),
            first_step=Min("runs__step", filter=there),
            last_step=Max("runs__step", filter=there),
        )
