"""Named questions about answers under conditions."""

from __future__ import annotations

from typing import Any, Self

from django.db import models


class EvidenceTestQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any, purpose: str) -> Self:
        return self.filter(revision__annotation__sample__benchmark=benchmark, purpose=purpose)

    def on_gold(self) -> Self:
        """Keep answers to questions that are gold now."""
        return self.filter(revision__gold_of__isnull=False)

    def mismatches(self) -> Self:
        """Keep answers of models that check annotators and differ from the annotation, in a fixed order."""
        return self.filter(purpose="check", person=None, right=False).order_by("model", "condition")
