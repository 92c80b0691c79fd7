from __future__ import annotations

import secrets
from functools import partial

from django.conf import settings
from django.db import models
from django.db.models import Q

from evaluation.models.querysets.judging import JudgingItemQuerySet
from evaluation.models.querysets.live import on_samples
from evaluation.models.run import Trajectory

new_key = partial(secrets.token_urlsafe, 16)
"""A random name that cannot be guessed and reveals nothing."""


class JudgingQueue(models.Model):
    """A fixed sample of trajectories from a slice, with questions to people about their crops.

    ``terms``: the list from which it was drawn. ``people``: judges per question. ``seed``: of the draw, secret until
    all questions are judged. ``begun``: people who were assigned a question, even if another person has the place now.
    ``experiment``: the judge model whose verdicts are labeled. Items then have probabilities, and ``weight`` is that of
    the judge in the estimate (docs/metrics.md#drawn-labels).
    """

    benchmark = models.ForeignKey("annotation.Benchmark", on_delete=models.CASCADE, related_name="judging_queues")
    terms = models.JSONField(default=dict, blank=True)
    people = models.PositiveSmallIntegerField(default=1)
    seed = models.CharField(max_length=60)
    drawn_from = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    begun = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")
    experiment = models.ForeignKey(
        "evaluation.Experiment", null=True, blank=True, on_delete=models.SET_NULL, related_name="label_queues"
    )
    weight = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(people__gte=1, people__lte=5), name="judging_by_one_to_five"),
        ]

    def __str__(self) -> str:
        return f"judging {self.pk} of {self.benchmark}"


class JudgingItemManager(models.Manager.from_queryset(JudgingItemQuerySet)):  # type: ignore[misc]  # made by Django
    """The questions there are: without those about runs in the trash, and about removed samples."""

    def get_queryset(self) -> JudgingItemQuerySet:
        return super().get_queryset().filter(on_samples("trajectory__"), trajectory__run__deleted_at=None)


class JudgingItem(models.Model):
    """One question about one trajectory: whether its crops support the answer, what the crops alone show, or what the
    answer is."""

    class Kind(models.TextChoices):
        RELIABILITY = "reliability"
        SUFFICIENCY = "sufficiency"
        ANSWER = "answer"

    queue = models.ForeignKey(JudgingQueue, on_delete=models.CASCADE, related_name="items", db_index=False)
    key = models.CharField(max_length=22, unique=True, default=new_key, help_text="Its name in addresses. Random.")
    trajectory = models.ForeignKey(Trajectory, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=12, choices=Kind)
    probability = models.FloatField(null=True, blank=True, help_text="Of its draw, in a queue of labels.")

    objects = JudgingItemManager()
    everything = models.Manager.from_queryset(JudgingItemQuerySet)()

    class Meta:
        ordering = ["queue", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["queue", "trajectory", "kind"], name="judging_item_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key} of {self.queue}"


class JudgingSeat(models.Model):
    """A person's reservation of a question, current or past.

    A conditional UPDATE takes over an expired place, so that exactly one person gets it. ``place`` counts from 0; null:
    this person skipped the question."""

    item = models.ForeignKey(JudgingItem, on_delete=models.CASCADE, related_name="seats", db_index=False)
    place = models.PositiveSmallIntegerField(null=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    taken_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "place"], name="judging_seat_once_per_place"),
            models.UniqueConstraint(fields=["item", "user"], name="judging_seat_once_per_person"),
            models.CheckConstraint(
                condition=Q(done_at__isnull=True) | Q(place__isnull=False), name="judging_done_in_a_place"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} judges {self.item}"
