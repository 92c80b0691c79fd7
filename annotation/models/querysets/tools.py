"""Questions about the tool bank."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from django.db import models
from django.db.models import Count, Exists, ExpressionWrapper, OuterRef, Q, QuerySet


class ToolNameQuerySet(models.QuerySet[Any]):
    def meaning(self, tool: Any) -> Self:
        """The names of a tool, and of those merged into it."""
        return self.filter(Q(tool=tool) | Q(tool__merged_into=tool))

    def meaning_any(self, tools: Iterable[int]) -> Self:
        """The names of these tools, and of those merged into them."""
        numbers = list(tools)
        merged = Q(tool__merged_into__in=numbers)
        return self.filter(Q(tool__in=numbers, tool__merged_into__isnull=True) | merged).order_by("name")


class BankToolQuerySet(models.QuerySet[Any]):
    def proposed(self) -> Self:
        """Keep tools that wait for the decision of a lead."""
        return self.filter(state="proposed")

    def known_as(self, text: str) -> Self:
        """Keep tools with the text in one of their names, ignoring case."""
        return self.filter(Exists(self._names(OuterRef("pk")).filter(name__icontains=text)))

    def _names(self, tool: Any) -> ToolNameQuerySet:
        names: ToolNameQuerySet = self.model.names.rel.related_model.objects.all()
        return names.meaning(tool)


class PlanToolQuerySet(models.QuerySet[Any]):
    def of_gold(self, benchmark: Any) -> Self:
        """The tools of the gold plans of a benchmark."""
        return self.filter(revision__gold_of__sample__benchmark=benchmark)

    def usage(self) -> QuerySet[Any, tuple[str, bool, int]]:
        """Rows of key, whether it is a distractor, and the number of plans."""
        distracts = ExpressionWrapper(Q(step__isnull=True), output_field=models.BooleanField())
        rows = self.order_by().annotate(distracts=distracts).values_list("key", "distracts")
        counted: QuerySet[Any, tuple[str, bool, int]] = rows.annotate(n=Count("revision", distinct=True))
        return counted
