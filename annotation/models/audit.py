from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.models.annotation import Revision
from annotation.models.querysets.quality import AuditItemQuerySet
from annotation.models.sample import Sample


class AuditDraw(models.Model):
    """A random share of the accepted samples, drawn for a second review. With ``seed`` and the samples of that day it
    can be drawn again."""

    benchmark = models.ForeignKey("annotation.Benchmark", on_delete=models.CASCADE, related_name="audits")
    number = models.PositiveIntegerField()
    seed = models.CharField(max_length=60)
    share = models.FloatField()
    drawn_from = models.PositiveIntegerField(help_text="Accepted samples that could have been drawn.")
    drawn_at = models.DateTimeField(auto_now_add=True)
    drawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["benchmark_id", "-number"]
        constraints = [models.UniqueConstraint(fields=["benchmark", "number"], name="audit_number_once")]

    def __str__(self) -> str:
        return f"audit {self.number} of {self.benchmark}"


class AuditItem(models.Model):
    """One drawn sample, and the verdict of a person who neither made nor reviewed its gold.

    An audit changes no gold. If the auditor disagrees, the lead decides whether the sample is reopened."""

    class Verdict(models.TextChoices):
        AGREE = "agree"
        DISAGREE = "disagree"

    class Outcome(models.TextChoices):
        REOPENED = "reopened"
        KEPT = "kept"

    draw = models.ForeignKey(AuditDraw, on_delete=models.CASCADE, related_name="items")
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="audit_items")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="audit_items")
    revision_author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    auditor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="audits"
    )
    verdict = models.CharField(max_length=8, choices=Verdict, blank=True, default="")
    reasons = models.JSONField(default=list, blank=True)
    comment = models.TextField(blank=True, default="")
    decided_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=8, choices=Outcome, blank=True, default="")
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    settled_at = models.DateTimeField(null=True, blank=True)

    objects = AuditItemQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["draw", "sample"], name="audit_item_once"),
            models.CheckConstraint(
                condition=Q(verdict="", auditor__isnull=True) | (~Q(verdict="") & Q(auditor__isnull=False)),
                name="audit_verdict_by_somebody",
            ),
            models.CheckConstraint(
                condition=Q(auditor__isnull=True) | Q(revision_author__isnull=True) | ~Q(auditor=F("revision_author")),
                name="audit_never_of_own_work",
            ),
            models.CheckConstraint(
                condition=Q(outcome="") | Q(verdict="disagree"), name="audit_outcome_of_disagreement"
            ),
        ]
        indexes = [models.Index(fields=["draw", "verdict"], name="audit_item_by_verdict")]

    def __str__(self) -> str:
        return f"{self.sample} in {self.draw}"
