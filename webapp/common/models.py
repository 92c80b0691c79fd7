from django.conf import settings
from django.db import models


class AuditEntry(models.Model):
    """Who did what to which thing, and why; written by actions, never changed."""

    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", help_text="Empty: automatic."
    )
    action = models.CharField(max_length=80)
    subject_type = models.CharField(max_length=80)
    subject_id = models.CharField(max_length=80)
    benchmark = models.CharField(max_length=100, blank=True, help_text="Slug of the benchmark it happened in.")
    before = models.CharField(max_length=40, blank=True)
    after = models.CharField(max_length=40, blank=True)
    reason = models.TextField(blank=True)
    data = models.JSONField(default=dict, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ("-created", "-id")
        indexes = (
            models.Index(fields=["subject_type", "subject_id", "-created"], name="audit_subject"),
            models.Index(fields=["benchmark", "-created"], name="audit_benchmark"),
            models.Index(fields=["-created"], name="audit_created"),
        )

    def __str__(self) -> str:
        return f"{self.action} {self.subject_type} {self.subject_id}"
