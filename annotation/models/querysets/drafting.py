"""Named questions about drafts of models."""

from __future__ import annotations

from collections import Counter
from typing import Any, Self

from django.db import models
from django.db.models import Count


class ProposalQuerySet(models.QuerySet[Any]):
    def on(self, benchmark: Any) -> Self:
        return self.filter(drafting__benchmark=benchmark, sample__benchmark=benchmark)

    def planted(self) -> Self:
        """Keep drafts with a planted error that is not withdrawn."""
        return self.filter(planted_error__isnull=False, withdrawn_at=None)

    def by_field(self) -> Counter[str]:
        """The number of drafts of each field. One query."""
        return Counter(dict(self.order_by().values_list("field").annotate(n=Count("pk"))))


class ClickedShapeQuerySet(models.QuerySet[Any]):
    def by_decision(self, benchmark: Any) -> Counter[str]:
        """The number of proposed shapes of a benchmark by decision, without those on gold checks, which have no
        annotation of the person. One query."""
        own = models.Exists(
            self.model._meta.apps.get_model("annotation", "Annotation").objects.filter(
                sample=models.OuterRef("sample"), author=models.OuterRef("person")
            )
        )
        found = self.filter(own, sample__benchmark=benchmark).order_by()
        return Counter(dict(found.values_list("decision").annotate(n=Count("pk"))))
