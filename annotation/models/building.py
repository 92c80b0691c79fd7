from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.building import OPEN, Stage, Verdict
from annotation.models.benchmark import Benchmark
from annotation.models.querysets.building import BuildItemQuerySet
from annotation.models.sample import Image, Sample


class BuildItem(models.Model):
    """A sample with a tool plan while it is built on the board. Tools are named by words, as in a plan."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="build_items")
    number = models.PositiveIntegerField(help_text="Counted from 1 in its benchmark.")
    stage = models.CharField(
        max_length=13, choices=[(one.value, one.value) for one in Stage], default=Stage.TARGETS.value
    )
    version = models.PositiveIntegerField(default=1, help_text="Raised by each change.")
    scenario = models.PositiveSmallIntegerField(default=1, help_text="Of the items with these targets.")
    targets = models.JSONField(help_text="[name]")
    steps = models.JSONField(default=list, blank=True, help_text="[step] of the targets, in their order.")
    either = models.JSONField(default=list, blank=True, help_text="[name] of targets of which one is enough.")
    instruction = models.TextField(blank=True, default="")
    distractors = models.JSONField(default=list, blank=True, help_text='[{"tool", "likeness"}]')
    description = models.TextField(blank=True, default="")
    image = models.ForeignKey(Image, null=True, blank=True, on_delete=models.PROTECT, related_name="build_items")
    sample = models.OneToOneField(
        Sample, null=True, blank=True, on_delete=models.SET_NULL, related_name="build_item",
        help_text="What it became.",
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True)
    entered_at = models.DateTimeField(help_text="When it came to its stage.")

    objects = BuildItemQuerySet.as_manager()

    class Meta:
        ordering = ["benchmark_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "number"], name="build_item_number_once"),
            models.CheckConstraint(
                condition=Q(sample__isnull=True) | Q(stage=Stage.ACCEPTED.value), name="build_item_sample_if_accepted"
            ),
        ]
        indexes = [models.Index(fields=["benchmark", "stage", "entered_at"], name="build_item_by_stage")]

    def __str__(self) -> str:
        return f"item {self.number}"

    @property
    def is_open(self) -> bool:
        return self.stage in OPEN

    @property
    def candidates(self) -> list[str]:
        """The tools that it names: targets, then distractors."""
        return [*self.targets, *(one["tool"] for one in self.distractors)]


class BuildDecision(models.Model):
    """What a person decided about an item at a stage. Without a person, the rules decided.

    ``details``: what the decision is based on, such as the findings of a check."""

    item = models.ForeignKey(BuildItem, on_delete=models.CASCADE, related_name="decisions")
    stage = models.CharField(max_length=13, choices=[(one.value, one.value) for one in Stage])
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    verdict = models.CharField(max_length=9, choices=[(one.value, one.value) for one in Verdict])
    reasons = models.JSONField(default=list, blank=True, help_text="Codes of the task's reasons.")
    note = models.TextField(blank=True, default="")
    details = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["item_id", "pk"]
        indexes = [models.Index(fields=["stage", "verdict"], name="build_decision_by_stage")]

    def __str__(self) -> str:
        return f"{self.stage} of {self.item}: {self.verdict}"
