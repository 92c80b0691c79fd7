"""Named questions about lineages."""

from __future__ import annotations

from typing import Any, Self

from django.db import models
from django.db.models import Count, Max, Min, Q


class LineageQuerySet(models.QuerySet[Any]):
    def with_steps(self) -> Self:
        """Add ``runs_n``, ``first_step`` and ``last_step``; null if a lineage has no run. Staged runs don't count."""
        live = Q(runs__staged_for=None)
        return self.annotate(
            runs_n=Count("runs", filter=live),
            first_step=Min("runs__step", filter=live),
            last_step=Max("runs__step", filter=live),
        )
