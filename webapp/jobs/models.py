from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from webapp.jobs.querysets import JobQuerySet
from webapp.jobs.registry import KINDS


class Job(models.Model):
    """One piece of work in the background. The row is the truth; a message to a worker is only a hint."""

    class State(models.TextChoices):
        QUEUED = "queued", gettext_lazy("Waiting")
        RUNNING = "running", gettext_lazy("Running")
        DONE = "done", gettext_lazy("Done")
        FAILED = "failed", gettext_lazy("Failed")
        REJECTED = "rejected", gettext_lazy("Rejected")
        CANCELLED = "cancelled", gettext_lazy("Stopped")

    LIVE = (State.QUEUED, State.RUNNING)
    NOT_DONE = (State.FAILED, State.REJECTED)
    """Rejected: the file or request can't be used, and the error says why. Failed: the server could not do it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=80)
    title = models.CharField(max_length=200, help_text="In English, for the API, logs and search.")
    values = models.JSONField(
        default=dict, db_default={}, help_text="What the title of its kind names, so that pages can translate it."
    )
    payload = models.JSONField(default=dict)
    key = models.CharField(max_length=200, blank=True, help_text="At most one live job has this key.")
    benchmark = models.CharField(max_length=100, blank=True, help_text="Slug of the benchmark it belongs to.")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="jobs"
    )
    created = models.DateTimeField(default=timezone.now)
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    cancel_requested = models.BooleanField(default=False)
    attempts = models.PositiveIntegerField(default=0)
    # Times in a row that a worker vanished without writing a checkpoint.
    vanished = models.PositiveIntegerField(default=0)
    worker = models.CharField(max_length=120, blank=True, help_text="Fresh for each claim; whoever knows it may write.")
    lease_until = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True, help_text="When it may be tried again after an outage.")
    # Attempts in a row that an outage ended without a checkpoint, and since when.
    failures = models.PositiveIntegerField(default=0, db_default=0)
    failing_since = models.DateTimeField(null=True, blank=True)
    request_id = models.CharField(
        max_length=64, blank=True, db_default="", help_text="Reference of the request that started it."
    )

    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(null=True, blank=True)
    # The progress of earlier attempts, so that the remaining time is estimated from this attempt only.
    done_at_start = models.PositiveIntegerField(default=0)
    unit = models.CharField(max_length=40, blank=True)
    checkpoint = models.JSONField(default=dict)
    error = models.TextField(blank=True)
    result = models.JSONField(default=dict)
    result_url = models.CharField(max_length=500, blank=True)

    parent = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="parts",
        help_text="The job that it is a part of.",
    )

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ("-created", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=["key"],
                condition=models.Q(state__in=["queued", "running"]) & ~models.Q(key=""),
                name="job_one_live_per_key",
            ),
            # While its parts run, no worker has the job itself.
            models.CheckConstraint(
                condition=~models.Q(state="running") | models.Q(lease_until__isnull=False) | models.Q(worker=""),
                name="job_running_has_lease",
            ),
        )
        indexes = (
            models.Index(fields=["state", "created"], name="job_state"),
            models.Index(fields=["created_by", "-created"], name="job_creator"),
            models.Index(fields=["benchmark", "-created"], name="job_benchmark"),
        )

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("jobs:job", args=[self.pk])

    @property
    def title_words(self) -> str:
        """The title in the language of the page. Parts and older jobs have only the English one."""
        kind = KINDS.get(self.kind)
        return gettext(kind.title) % self.values if kind and self.values else self.title

    @property
    def unit_words(self) -> str:
        """The unit of progress, in the language of the page. Jobs mark their units where they report progress."""
        return gettext(self.unit) if self.unit else ""

    @property
    def is_live(self) -> bool:
        return self.state in self.LIVE

    @property
    def can_retry(self) -> bool:
        return self.state in (*self.NOT_DONE, self.State.CANCELLED)

    @property
    def waits_for_parts(self) -> bool:
        """Under way, but in its parts alone: no worker has the job itself."""
        return self.state == self.State.RUNNING and not self.worker

    @property
    def share(self) -> float | None:
        """Part that is done, from 0 to 1; none when the total is not known."""
        if not self.total:
            return None
        return min(1.0, self.done / self.total)

    @property
    def seconds_taken(self) -> float | None:
        """Return the time from the start of the last attempt to its end, or to now."""
        if self.started is None:
            return None
        return max(0.0, ((self.finished or timezone.now()) - self.started).total_seconds())

    @property
    def seconds_to_next_try(self) -> float | None:
        """Time until it is tried again after an outage; none when it waits for a worker alone."""
        if self.state != self.State.QUEUED or self.not_before is None:
            return None
        return max(0.0, (self.not_before - timezone.now()).total_seconds())

    @property
    def seconds_left(self) -> float | None:
        """Time left if the rest goes as fast as what this attempt has done; none before it can be said."""
        taken, begun = self.seconds_taken, self.done_at_start
        if self.state != self.State.RUNNING or not self.total or not taken or self.done <= begun:
            return None
        return taken / (self.done - begun) * max(0, self.total - self.done)


class JobLog(models.Model):
    """One line of what a job said."""

    class Level(models.TextChoices):
        INFO = "info", gettext_lazy("Note")
        WARNING = "warning", gettext_lazy("Warning")
        ERROR = "error", gettext_lazy("Failed")

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="lines")
    at = models.DateTimeField(default=timezone.now)
    level = models.CharField(max_length=10, choices=Level.choices, default=Level.INFO)
    text = models.TextField()

    class Meta:
        verbose_name = "line of a job"
        verbose_name_plural = "lines of jobs"
        ordering = ("id",)

    def __str__(self) -> str:
        return self.text
