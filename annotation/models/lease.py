from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy

from annotation.models.querysets.samples import LeaseQuerySet, PauseQuerySet, ProblemQuerySet
from annotation.models.sample import Sample
from annotation.work_rules import BlindRule
from annotation.workflow import is_overlapped


class Lease(models.Model):
    """The reservation of a sample: one row for each sample, seat and place, also after it has expired.

    A conditional UPDATE takes over an expired row, so that exactly one person gets it. ``lasts``: how long it is kept
    without a renewal, from the queue settings of that time. ``place`` counts from 0. A sample with an overlap of n has
    n places on the seat "annotate".
    """

    class Seat(models.TextChoices):
        ANNOTATE = "annotate"
        REVIEW = "review"
        AUDIT = "audit"

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="leases")
    seat = models.CharField(max_length=8, choices=Seat)
    place = models.PositiveSmallIntegerField(default=0)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="leases")
    taken_at = models.DateTimeField(default=timezone.now)
    lasts = models.DurationField(default=timedelta(minutes=15))
    expires_at = models.DateTimeField()

    objects = LeaseQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sample", "seat", "place"], name="lease_once_per_place"),
            models.UniqueConstraint(fields=["sample", "seat", "user"], name="lease_once_per_person"),
        ]
        indexes = [models.Index(fields=["user", "seat", "expires_at"], name="lease_by_person")]

    def __str__(self) -> str:
        return f"{self.user} holds {self.sample} to {self.seat}"


class Skip(models.Model):
    """A person skipped a sample and gave a reason. The sample is not assigned to them again."""

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="skips")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    seat = models.CharField(max_length=8, choices=Lease.Seat)
    reason = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["sample", "user", "seat"], name="skip_once")]

    def __str__(self) -> str:
        return f"{self.user} skipped {self.sample}"


class Problem(models.Model):
    """A problem with a sample, reported to the lead. Only leads read it."""

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="problems")
    reporter = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    objects = ProblemQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [models.Index(fields=["sample"], condition=Q(resolved_at__isnull=True), name="problem_open")]

    def __str__(self) -> str:
        return f"problem of {self.sample}"


class Assignment(models.Model):
    """A lead assigned this sample to one person. The queue offers it to them first and to no other person."""

    sample = models.OneToOneField(Sample, on_delete=models.CASCADE, related_name="assignment")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="assignments")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.sample} is for {self.user}"


class BenchmarkQueue(models.Model):
    """The assignment rules of a benchmark's samples. A benchmark without a row has the defaults."""

    class Order(models.TextChoices):
        SEQUENTIAL = "sequential"
        RANDOM = "random"
        FACET = "facet"
        DISAGREEMENT = "disputed", gettext_lazy("most disagreement first")

    class OverlapMode(models.TextChoices):
        SHARED = "shared", gettext_lazy("the question of the first")
        INDEPENDENT = "independent", gettext_lazy("each their own question")

    benchmark = models.OneToOneField("annotation.Benchmark", on_delete=models.CASCADE, related_name="queue")
    order = models.CharField(max_length=10, choices=Order, default=Order.SEQUENTIAL)
    facet = models.CharField(max_length=60, blank=True, default="", help_text="Sorts the samples, when order is facet.")
    overlap = models.PositiveSmallIntegerField(default=1, help_text="How many people annotate a sample.")
    overlap_share = models.FloatField(default=1.0, help_text="Share of samples with this overlap; others have one.")
    overlap_mode = models.CharField(
        max_length=11, choices=OverlapMode, default=OverlapMode.SHARED, db_default=OverlapMode.SHARED
    )
    review_share = models.FloatField(default=1.0, help_text="Share of submitted samples that a person reviews.")
    blind = models.CharField(
        max_length=11, choices=[(r.value, r.value) for r in BlindRule], default=BlindRule.PICTURE.value
    )
    blind_margin = models.FloatField(
        default=0.25, help_text="Shown around each gold box where crops are, as a share of its longer side."
    )
    lease_minutes = models.PositiveSmallIntegerField(
        default=15, help_text="How long a sample is kept for who took it, without a sign of them."
    )
    take_back_minutes = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How long authors can take a submission back before its review; 0: never."
    )
    suggests = models.BooleanField(
        default=False, db_default=False, help_text="Whether annotators see boxes of models, to adopt or pass by."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(overlap__gte=1, overlap__lte=20), name="queue_overlap_from_one"),
            models.CheckConstraint(
                condition=Q(review_share__gte=0, review_share__lte=1), name="queue_share_is_a_share"
            ),
            models.CheckConstraint(
                condition=Q(overlap_share__gte=0, overlap_share__lte=1), name="queue_overlap_share_is_a_share"
            ),
            models.CheckConstraint(
                condition=Q(blind_margin__gte=0, blind_margin__lte=2), name="queue_blind_margin_up_to_two_sides"
            ),
            models.CheckConstraint(
                condition=Q(lease_minutes__gte=1, lease_minutes__lte=480), name="queue_lease_up_to_a_day_of_work"
            ),
            models.CheckConstraint(condition=Q(take_back_minutes__lte=120), name="queue_take_back_up_to_two_hours"),
        ]

    def __str__(self) -> str:
        return f"queue of {self.benchmark}"

    @property
    def lasts(self) -> timedelta:
        return timedelta(minutes=self.lease_minutes)

    @property
    def take_back(self) -> timedelta:
        return timedelta(minutes=self.take_back_minutes)

    @property
    def waits_for_question(self) -> bool:
        """Whether a sample waits for its other annotators until the first has submitted the question. Not while gold
        checks run: annotators then write their own questions. Checks do not wait, so waiting would reveal the others.
        """
        if self.overlap == 1 or self.overlap_mode != self.OverlapMode.SHARED:
            return False
        quality = getattr(self.benchmark, "quality", None)
        return quality is None or not quality.checks_run

    def wanted(self, sample_id: int, extra: int = 0) -> int:
        """Return the number of annotators of this sample: one, or the overlap plus ``extra``."""
        several = self.overlap > 1 and is_overlapped(sample_id, self.overlap_share)
        return self.overlap + extra if several else 1


class Pause(models.Model):
    """A stop of assignment on a benchmark, for one person or, without one, for everyone, until it is lifted. People can
    finish what they started. ``paused_by`` empty: a rule paused it."""

    benchmark = models.ForeignKey("annotation.Benchmark", on_delete=models.CASCADE, related_name="pauses")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="pauses"
    )
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
            models.UniqueConstraint(
                fields=["benchmark"],
                condition=Q(lifted_at__isnull=True, user__isnull=True),
                name="pause_of_everybody_once_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user or 'everybody'} is paused on {self.benchmark}"
