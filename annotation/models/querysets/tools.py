"""Questions about the tool bank."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from django.db import models
from django.db.models import Count, Exists, ExpressionWrapper, OuterRef, Q, QuerySet


class ToolNameQuerySet(models.QuerySet[Any]):
    def known(self) -> Self:
        """Keep names that a person or a file gave, or a lead decided about."""
        return self.exclude(tool__drafted=True, tool__state="proposed")

    def proposed_by_models(self) -> Self:
        """Keep names that only models drafted, and that wait for the decision of a lead."""
        return self.filter(tool__drafted=True, tool__state="proposed")

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
        """Keep tools that people proposed, and that wait for the decision of a lead."""
        return self.filter(state="proposed", drafted=False)

    def proposed_by_models(self) -> Self:
        """Keep tools that only models named, and that wait for the decision of a lead."""
        return self.filter(state="proposed", drafted=True)

    def known(self) -> Self:
        """Keep tools that a person or a file named, or a lead decided about."""
        return self.exclude(state="proposed", drafted=True)

    def shown_to_annotators(self) -> Self:
        """Keep tools that a person or a file named, or a lead accepted."""
        return self.filter(drafted=False)

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
