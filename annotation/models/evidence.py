from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.evidence import Condition, Purpose
from annotation.models.annotation import Revision
from annotation.models.benchmark import Benchmark
from annotation.models.querysets.evidence import EvidenceTestQuerySet


class EvidenceTest(models.Model):
    """The answer of a person or a model to the question of a revision under one condition.

    ``right`` null: undecided; with an empty ``answer``, the response of a model was unread. "I can't tell" is an
    empty answer that is incorrect. ``digest``: of the recipe of a model.
    """

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="evidence_tests")
    condition = models.CharField(max_length=8, choices=[(one.value, one.value) for one in Condition])
    purpose = models.CharField(max_length=8, choices=[(one.value, one.value) for one in Purpose])
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="evidence_tests"
    )
    model = models.CharField(max_length=200, blank=True, default="", help_text="The name of the model on pages.")
    digest = models.CharField(max_length=64, blank=True, default="")
    answer = models.TextField(blank=True)
    right = models.BooleanField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = EvidenceTestQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["revision", "condition", "purpose", "person"], name="evidence_once_per_person"
            ),
            models.UniqueConstraint(
                fields=["revision", "condition", "purpose", "model"], name="evidence_once_per_model",
                condition=Q(person=None),
            ),
            models.CheckConstraint(
                condition=Q(person=None, model__gt="") | Q(person__isnull=False, model=""),
                name="evidence_one_answerer",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.condition} of {self.revision}"


class FacetBatch(models.Model):
    """The values of a facet that a lead set on many samples at once, so that they can be undone together.

    ``changes``: [sample, before, after] for each changed sample. null: no value; a text: this value; a list: these.
    """

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="facet_batches")
    name = models.CharField(max_length=60)
    changes = models.JSONField()
    made_at = models.DateTimeField(auto_now_add=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    undone_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.name} of {len(self.changes)} samples"
