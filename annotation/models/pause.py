from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.querysets_quality import PauseQuerySet


class Pause(models.Model):
    """A person who is handed nothing new on a benchmark until the lead lifts it. What they have begun they can finish.
    ``paused_by`` empty: it came about by itself."""

    benchmark = models.ForeignKey("annotation.Benchmark", on_delete=models.CASCADE, related_name="pauses")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="pauses")
    reason = models.TextField()
    paused_at = models.DateTimeField(auto_now_add=True)
    paused_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    objects = PauseQuerySet.as_manager()

    class Meta:
        ordering = ["-paused_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["benchmark", "user"], condition=Q(lifted_at__isnull=True), name="pause_once_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} is paused on {self.benchmark}"
