"""Questions about schemas."""

from __future__ import annotations

from typing import Any

from django.db import models


class BenchmarkSchemaQuerySet(models.QuerySet[Any]):
    def in_force(self) -> Any:
        """The schema in force of one benchmark; None before the first."""
        return self.filter(state=self.model.State.ACTIVE).first()

    def draft(self) -> Any:
        """The draft of one benchmark; None where there is none."""
        return self.filter(state=self.model.State.DRAFT).first()
