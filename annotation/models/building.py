from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.building import OPEN, Stage, Verdict
from annotation.building.audits import LEAST_SHARE, BatchState
from annotation.models.benchmark import Benchmark
from annotation.models.querysets.building import BuildDecisionQuerySet, BuildItemQuerySet, ItemAuditQuerySet
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
    draft = models.JSONField(
        null=True, blank=True, editable=False,
        help_text='{"version", "text", "model", "prompt"} of the description that a model drafted for this version of'
        ' the item; "prompt": SHA-256 of its text.',
    )  # fmt: skip
    image = models.ForeignKey(Image, null=True, blank=True, on_delete=models.PROTECT, related_name="build_items")
    rendered = models.JSONField(
        null=True, blank=True,
        help_text='{"model", "prompt", "seed"} of a generated image; "prompt": SHA-256 of its text. Null: uploaded.',
    )  # fmt: skip
    real = models.BooleanField(default=False, help_text="The image is a photograph of a real scene.")
    pair_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="pairs",
        help_text="The item that it repeats with another image.",
    )  # fmt: skip
    from_sample = models.BooleanField(
        default=False, db_default=False,
        help_text="It was made from its sample, to start a matched pair: no stage checked its text.",
    )  # fmt: skip
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
    def paired(self) -> BuildItem | None:
        """The item with the other image of its matched pair. One query."""
        found: BuildItem | None = self.pair_of or self.pairs.kept().first()
        return found

    @property
    def drafted(self) -> dict[str, Any] | None:
        """The draft of its description, if a person can use it now."""
        draft: dict[str, Any] | None = self.draft
        usable = draft is not None and self.stage == Stage.DESCRIPTION and draft["version"] == self.version
        return draft if usable else None

    @property
    def candidates(self) -> list[str]:
        """The tools that it names: targets, then distractors."""
        return [*self.targets, *(one["tool"] for one in self.distractors)]


class BuildDecision(models.Model):
    """What a person decided about an item at a stage. Without a person, the rules decided, or the ``model`` that is
    named: its finding in a batch that people confirmed by a draw, or an image that it generated.

    ``details``: what the decision is based on, such as the findings of a check."""

    item = models.ForeignKey(BuildItem, on_delete=models.CASCADE, related_name="decisions")
    stage = models.CharField(max_length=13, choices=[(one.value, one.value) for one in Stage])
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    model = models.CharField(max_length=200, blank=True, default="", help_text="The model that decided.")
    verdict = models.CharField(max_length=9, choices=[(one.value, one.value) for one in Verdict])
    reasons = models.JSONField(default=list, blank=True, help_text="Codes of the task's reasons.")
    note = models.TextField(blank=True, default="")
    details = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = BuildDecisionQuerySet.as_manager()

    class Meta:
        ordering = ["item_id", "pk"]
        indexes = [models.Index(fields=["stage", "verdict"], name="build_decision_by_stage")]

    def __str__(self) -> str:
        return f"{self.stage} of {self.item}: {self.verdict}"


class AuditBatch(models.Model):
    """Items whose texts one model checked (QC-I). A share of them, drawn by ``seed``, is checked by people first.

    ``share``: of the items that people check, at least ``annotation.building.audits.LEAST_SHARE``. ``prompt``: SHA-256
    of the texts that the model was sent. ``tools_text``, ``steps_text``: these texts, before values were put in; "" in
    batches of the time when they were the same everywhere.
    """

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="audit_batches")
    model = models.CharField(max_length=200)
    prompt = models.CharField(max_length=64)
    tools_text = models.TextField(blank=True, default="", db_default="")
    steps_text = models.TextField(blank=True, default="", db_default="")
    seed = models.CharField(max_length=32)
    share = models.FloatField()
    state = models.CharField(
        max_length=6, choices=[(one.value, one.value) for one in BatchState], default=BatchState.ASKING.value
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["benchmark_id", "pk"]
        verbose_name_plural = "audit batches"
        constraints = [
            models.CheckConstraint(condition=Q(share__gte=LEAST_SHARE, share__lte=1), name="audit_share_in_range"),
        ]

    def __str__(self) -> str:
        return f"batch {self.pk} of {self.model}"


class ItemAudit(models.Model):
    """What a model found of the text of an item, in the version that it read. It is a proposal.

    ``agrees``: whether the person who checked this version without knowing it found the same; null: none did yet.
    ``drawn``: it was in the draw when its batch was settled.
    """

    batch = models.ForeignKey(AuditBatch, on_delete=models.CASCADE, related_name="audits")
    item = models.ForeignKey(BuildItem, on_delete=models.CASCADE, related_name="audits")
    version = models.PositiveIntegerField(help_text="Of the item as the model read it.")
    findings = models.JSONField(help_text='[{"tool", "essential", "consistent"}]')
    valid_sequence = models.BooleanField()
    note = models.TextField(blank=True, default="")
    agrees = models.BooleanField(null=True, blank=True)
    drawn = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ItemAuditQuerySet.as_manager()

    class Meta:
        ordering = ["batch_id", "pk"]
        constraints = [models.UniqueConstraint(fields=["batch", "item"], name="item_audit_once")]

    def __str__(self) -> str:
        return f"{self.item} in {self.batch}"
