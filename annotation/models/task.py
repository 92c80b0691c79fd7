from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotation.models.benchmark import Benchmark
from annotation.models.querysets.task import BenchmarkSchemaQuerySet


class BenchmarkSchema(models.Model):
    """The task of a benchmark as its lead defined it: a draft, the schema in force, or an earlier one."""

    class State(models.TextChoices):
        DRAFT = "draft", gettext_lazy("draft")
        ACTIVE = "active", gettext_lazy("in force")
        RETIRED = "retired", gettext_lazy("retired")

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="schemas")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=7, choices=State, default=State.DRAFT)
    content = models.JSONField(help_text="See annotation.task_schema.")
    note = models.CharField(max_length=300, blank=True, default="", help_text="What changed.")
    version = models.PositiveIntegerField(default=1, help_text="Raised by each save of the draft.")
    changed_at = models.DateTimeField(auto_now=True)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    activated_at = models.DateTimeField(null=True, blank=True)

    objects = BenchmarkSchemaQuerySet.as_manager()

    class Meta:
        ordering = ["benchmark_id", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "number"], name="schema_number_once"),
            models.UniqueConstraint(fields=["benchmark"], condition=Q(state="draft"), name="schema_one_draft"),
            models.UniqueConstraint(fields=["benchmark"], condition=Q(state="active"), name="schema_one_in_force"),
            models.CheckConstraint(
                condition=Q(state="draft", activated_at__isnull=True)
                | (~Q(state="draft") & Q(activated_at__isnull=False)),
                name="schema_activated_once",
            ),
        ]

    def __str__(self) -> str:
        return f"schema {self.number} of {self.benchmark}"


class FacetAlias(models.Model):
    """The current meaning of a facet value in older work or files.

    Revisions keep the words with which they were submitted. If ``new`` is empty, the value is left out."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="facet_aliases")
    name = models.CharField(max_length=60)
    old = models.CharField(max_length=200)
    new = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "name", "old"], name="facet_alias_once"),
            models.CheckConstraint(condition=~Q(old=models.F("new")), name="facet_alias_is_another"),
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.old} = {self.new}"
