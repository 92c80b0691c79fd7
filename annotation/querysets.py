"""Named questions to the database, as queryset verbs that chain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, TypeAlias

from django.db import models
from django.db.models import Count, Exists, OuterRef, Q

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from webapp.accounts.models import User

    Person: TypeAlias = User | AnonymousUser


class BenchmarkQuerySet(models.QuerySet[Any]):
    def visible_to(self, user: Person) -> Self:
        """Public benchmarks, and those the user is a member of; a site admin sees all."""
        if user.is_authenticated and user.is_staff:
            return self
        public = Q(public=True)
        if not user.is_authenticated:
            return self.filter(public)
        member = self.model.memberships.rel.related_model.objects.filter(benchmark=OuterRef("pk"), user=user)
        return self.filter(public | Exists(member))

    def with_counts(self) -> Self:
        """Adds ``samples_n``, ``accepted_n``, ``in_review_n``, ``discarded_n``: samples by state, in the same query."""
        return self.annotate(
            samples_n=Count("samples"),
            accepted_n=Count("samples", filter=Q(samples__state="accepted")),
            in_review_n=Count("samples", filter=Q(samples__state__in=["in_review", "returned"])),
            draft_n=Count("samples", filter=Q(samples__state="draft")),
        )


class SampleQuerySet(models.QuerySet[Any]):
    def with_gold(self) -> Self:
        """Everything a page or the scorer needs of the gold, in a fixed number of queries."""
        return self.select_related("image", "gold__revision").prefetch_related(
            "gold__revision__gold_boxes",
            "gold__revision__reference_calls",
            "gold__revision__plan_tools",
            "facets",
        )

    def in_state(self, state: str) -> Self:
        return self.filter(state=state)

    def having(self, facet: str, value: str) -> Self:
        """Samples with this value on this facet."""
        values = self.model.facets.rel.related_model.objects.filter(sample=OuterRef("pk"), name=facet, value=value)
        return self.filter(Exists(values))

    def saying(self, text: str) -> Self:
        """Samples whose id or gold question holds the text, in any case."""
        return self.filter(Q(key__icontains=text) | Q(gold__revision__question__icontains=text))

    def by_state(self) -> dict[str, int]:
        """How many samples stand where, by state; states without a sample are left out."""
        return dict(self.order_by().values_list("state").annotate(n=Count("pk")))

    def on_one_picture_with(self, sample: Any) -> Self:
        """The other samples of the same picture cluster."""
        same = Q(image_group=sample.image_group) if sample.image_group else Q(image=sample.image, image__isnull=False)
        return self.filter(same, benchmark=sample.benchmark).exclude(pk=sample.pk)


class FacetValueQuerySet(models.QuerySet[Any]):
    def counted(self) -> Self:
        """``name``, ``value`` and ``n`` samples, the most frequent first within each name."""
        return self.values("name", "value").annotate(n=Count("sample", distinct=True)).order_by("name", "-n", "value")


class RevisionQuerySet(models.QuerySet[Any]):
    def with_content(self) -> Self:
        return self.prefetch_related("gold_boxes", "reference_calls", "plan_tools")
