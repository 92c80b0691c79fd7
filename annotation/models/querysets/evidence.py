"""Named questions about answers under conditions."""

from __future__ import annotations

from typing import Any, Self

from django.db import models
from django.db.models import Exists, OuterRef


class EvidenceTestQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any, purpose: str) -> Self:
        return self.filter(revision__annotation__sample__benchmark=benchmark, purpose=purpose)

    def on_present_image(self) -> Self:
        """Keep answers that were given on the image that the sample has: no other has replaced it since."""
        sample = self.model.revision.field.related_model.annotation.field.related_model.sample.field.related_model
        later = sample.replacements.rel.related_model.objects.filter(
            sample=OuterRef("revision__annotation__sample"), replaced_at__gt=OuterRef("created_at")
        )
        return self.filter(~Exists(later))

    def on_gold(self) -> Self:
        """Keep answers to questions that are gold now."""
        return self.filter(revision__gold_of__isnull=False)

    def mismatches(self) -> Self:
        """Keep answers of models that check annotators and differ from the annotation, in a fixed order."""
        return self.filter(purpose="check", person=None, right=False).order_by("model", "condition")
