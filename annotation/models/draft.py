from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models.annotation import Annotation
from annotation.models.sample import Sample


class Draft(models.Model):
    """The unsubmitted content of an annotation: the content JSON as the page sends it, complete or incomplete.

    ``version`` increases by one with each save. A write with another version than the stored one is stale. ``key`` is
    the idempotency key of the last save: repeating that save returns the same response.
    """

    annotation = models.OneToOneField(Annotation, on_delete=models.CASCADE, related_name="draft")
    version = models.PositiveIntegerField(default=1)
    key = models.CharField(max_length=80, blank=True, default="")
    content = models.JSONField()
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"draft {self.version} of {self.annotation}"


class SkippedDraft(models.Model):
    """The draft of a skipped sample. It is restored if the person opens the sample again."""

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="skipped_drafts")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    content = models.JSONField()
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sample", "user"], name="skipped_draft_once")]

    def __str__(self) -> str:
        return f"draft of {self.sample}, skipped by {self.user}"


class Receipt(models.Model):
    """The response to a request with an idempotency key. Repeating the request changes nothing."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=80)
    about = models.CharField(max_length=40, help_text="What the request was, as action:number.")
    answer = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="receipt_once")]
        indexes = [models.Index(fields=["created_at"], name="receipt_by_time")]

    def __str__(self) -> str:
        return self.about
