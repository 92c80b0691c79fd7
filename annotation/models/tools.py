from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.drafting import PLAN_FIELDS
from annotation.models.benchmark import Benchmark
from annotation.models.querysets.tools import BankToolQuerySet, ToolNameQuerySet
from annotation.models.sample import Sample
from annotation.tool_bank import LONGEST_NAME, ToolState
from annotation.tool_bank.segments import SEGMENTS


class BankTool(models.Model):
    """A tool of a benchmark's tool bank. Plans name tools by words; ``ToolName`` assigns each word to a tool."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="tools")
    name = models.CharField(max_length=LONGEST_NAME, help_text="What it is called now.")
    state = models.CharField(
        max_length=8, choices=[(state.value, state.value) for state in ToolState], default=ToolState.ACCEPTED.value
    )
    segment = models.CharField(max_length=2, blank=True, default="", help_text="UNSPSC segment, two digits.")
    merged_into = models.ForeignKey("self", null=True, blank=True, on_delete=models.RESTRICT, related_name="merged")
    reason = models.TextField(blank=True, default="", help_text="Why the lead refused it.")
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="proposed_tools"
    )
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    drafted = models.BooleanField(
        default=False, db_default=False,
        help_text="Only models named it, and no lead accepted it: no annotator sees it.",
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = BankToolQuerySet.as_manager()

    class Meta:
        ordering = ["benchmark_id", "name", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state=ToolState.MERGED.value, merged_into__isnull=False)
                | (~Q(state=ToolState.MERGED.value) & Q(merged_into__isnull=True)),
                name="tool_merged_into_another",
            ),
            models.CheckConstraint(
                condition=~Q(state=ToolState.REFUSED.value) | ~Q(reason=""), name="tool_refused_for_a_reason"
            ),
            models.CheckConstraint(
                condition=Q(drafted=False) | Q(state__in=[ToolState.PROPOSED.value, ToolState.REFUSED.value]),
                name="tool_drafted_until_accepted",
            ),
        ]
        indexes = [
            models.Index(fields=["benchmark", "state", "name"], name="tool_in_order"),
            models.Index(fields=["proposed_by", "benchmark"], name="tool_by_proposer"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def segment_title(self) -> str:
        return SEGMENTS.get(self.segment, "")


class ToolName(models.Model):
    """A name of a tool: its current name, an earlier one or an alias. A name belongs to one tool of a benchmark."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="tool_names")
    tool = models.ForeignKey(BankTool, on_delete=models.CASCADE, related_name="names")
    name = models.CharField(max_length=LONGEST_NAME)
    key = models.CharField(max_length=LONGEST_NAME, help_text="The name in the form for comparison; see PlanTool.key.")

    objects = ToolNameQuerySet.as_manager()

    class Meta:
        ordering = ["tool_id", "name"]
        constraints = [models.UniqueConstraint(fields=["benchmark", "key"], name="tool_name_means_one_tool")]

    def __str__(self) -> str:
        return self.name


class DraftedName(models.Model):
    """A name that the tool bank lacked, in the draft of a model for a sample. ``source``: the name of the model on
    pages."""

    name = models.ForeignKey(ToolName, on_delete=models.CASCADE, related_name="drafts")
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="+")
    field = models.CharField(max_length=12, choices=[(one.value, one.value) for one in PLAN_FIELDS])
    source = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "sample", "field", "source"], name="drafted_name_once")]

    def __str__(self) -> str:
        return f"{self.name} for {self.sample}"
