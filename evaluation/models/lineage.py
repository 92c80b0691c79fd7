from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse

from evaluation.models.querysets.lineages import LineageQuerySet


class Lineage(models.Model):
    """The checkpoints of one training: runs of one model, each at a step. Text fields describe the training."""

    benchmark = models.ForeignKey("annotation.Benchmark", on_delete=models.CASCADE, related_name="lineages")
    name = models.CharField(max_length=200)
    base_model = models.CharField(max_length=200, blank=True, default="")
    data = models.TextField(blank=True, default="", help_text="What the model was trained on.")
    reward_scheme = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    objects = LineageQuerySet.as_manager()

    class Meta:
        ordering = ["benchmark", "name"]
        constraints = [models.UniqueConstraint(fields=["benchmark", "name"], name="lineage_once")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("evaluation:lineage", args=[self.benchmark.slug, self.pk])
