from __future__ import annotations

from django.conf import settings
from django.db import models


class SavedMapping(models.Model):
    """The meaning of a table's columns on a benchmark. ``header`` is the digest of these columns."""

    benchmark = models.ForeignKey("annotation.Benchmark", on_delete=models.CASCADE, related_name="column_mappings")
    header = models.CharField(max_length=64)
    mapping = models.JSONField(help_text="The column of each field, and how boxes are written.")
    coordinates = models.CharField(max_length=200, blank=True, default="")
    saved_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["benchmark", "header"], name="mapping_once_per_header")]

    def __str__(self) -> str:
        return f"columns of {self.header[:8]} on {self.benchmark}"


class SampleAlias(models.Model):
    """A name of a sample in files, confirmed by a person."""

    benchmark = models.ForeignKey("annotation.Benchmark", on_delete=models.CASCADE, related_name="sample_aliases")
    name = models.CharField(max_length=200)
    sample = models.ForeignKey("annotation.Sample", on_delete=models.CASCADE, related_name="+")
    accepted_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    accepted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["benchmark", "name"], name="sample_alias_once")]

    def __str__(self) -> str:
        return f"{self.name} is {self.sample}"
