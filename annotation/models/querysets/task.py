"""Questions about schemas."""

from __future__ import annotations

from typing import Any

from django.db import models


class BenchmarkSchemaQuerySet(models.QuerySet[Any]):
    def in_force(self) -> Any:
        """The schema in force of one benchmark; None before the first."""
        return self.filter(state=self.model.State.ACTIVE).first()

    def history(self, benchmark: Any) -> list[tuple[Any, int]]:
        """When each schema of a benchmark was put in force, and its number, in this order. One query."""
        made = self.filter(benchmark=benchmark, activated_at__isnull=False)
        return list(made.order_by("activated_at", "number").values_list("activated_at", "number"))

    def draft(self) -> Any:
        """The draft of one benchmark; None where there is none."""
        return self.filter(state=self.model.State.DRAFT).first()
