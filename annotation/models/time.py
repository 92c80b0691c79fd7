from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import pgettext_lazy

from annotation.models.querysets.time import WorkSessionQuerySet
from annotation.models.sample import Sample


class WorkSession(models.Model):
    """The time that a person worked on a sample on one open page, on one day. ``page`` names the page, ``ended`` is its
    last report. Nothing else about the work is recorded."""

    class Role(models.TextChoices):
        ANNOTATE = "annotate", pgettext_lazy("kind of work", "annotating")
        REVIEW = "review", pgettext_lazy("kind of work", "reviewing")
        ADJUDICATE = "adjudicate", pgettext_lazy("kind of work", "adjudicating")

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="work_sessions")
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="work_sessions")
    role = models.CharField(max_length=10, choices=Role)
    page = models.CharField(max_length=32)
    day = models.DateField(help_text="In UTC.")
    started = models.DateTimeField()
    ended = models.DateTimeField()
    active_seconds = models.FloatField(default=0)

    objects = WorkSessionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "page", "day"], name="work_session_once_a_day"),
            models.CheckConstraint(condition=Q(active_seconds__gte=0), name="work_session_not_negative"),
            models.CheckConstraint(condition=Q(ended__gte=F("started")), name="work_session_ends_after_start"),
        ]
        indexes = [models.Index(fields=["sample", "role"], name="work_session_by_sample")]

    def __str__(self) -> str:
        return f"{self.person} on {self.sample}, {self.day}"


class WorkClock(models.Model):
    """The time of the last hours that is counted for a person, so that two open pages count once: ``[[begin, end]]`` in
    seconds since 1970 on the clock of the database."""

    person = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    counted = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"work clock of {self.person}"
