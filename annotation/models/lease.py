from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.sample import Sample
from annotation.querysets import LeaseQuerySet


class Lease(models.Model):
    """Who works on a sample now. One row for each sample, seat and place, whether it has run out or not: a row that has
    run out is taken over by a conditional UPDATE, so that exactly one person wins.

    ``place`` counts from 0; a benchmark with overlap n has n places on the seat "annotate".
    """

    class Seat(models.TextChoices):
        ANNOTATE = "annotate"
        REVIEW = "review"
        AUDIT = "audit"

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="leases")
    seat = models.CharField(max_length=8, choices=Seat)
    place = models.PositiveSmallIntegerField(default=0)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="leases")
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
    """A person passed a sample by and said why; it is not handed to them again."""

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


class Assignment(models.Model):
    """A lead gave this sample to one person: the queue hands it to them first and to nobody else."""

    sample = models.OneToOneField(Sample, on_delete=models.CASCADE, related_name="assignment")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="assignments")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.sample} is for {self.user}"


class BenchmarkQueue(models.Model):
    """How a benchmark hands out its samples. A benchmark without a row has the defaults."""

    class Order(models.TextChoices):
        SEQUENTIAL = "sequential"
        RANDOM = "random"
        FACET = "facet"
        DISAGREEMENT = "disputed", "most disagreement first"

    benchmark = models.OneToOneField("annotation.Benchmark", on_delete=models.CASCADE, related_name="queue")
    order = models.CharField(max_length=10, choices=Order, default=Order.SEQUENTIAL)
    facet = models.CharField(max_length=60, blank=True, default="", help_text="Sorts the samples, when order is facet.")
    overlap = models.PositiveSmallIntegerField(default=1, help_text="How many people annotate each sample.")
    review_share = models.FloatField(default=1.0, help_text="Share of submitted samples that a person reviews.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(overlap__gte=1, overlap__lte=20), name="queue_overlap_from_one"),
            models.CheckConstraint(
                condition=Q(review_share__gte=0, review_share__lte=1), name="queue_share_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return f"queue of {self.benchmark}"
