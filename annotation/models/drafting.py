from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.drafting import CONTROL_SHARE, Arm, Decision, Field
from annotation.models.annotation import Annotation
from annotation.models.benchmark import Benchmark
from annotation.models.querysets.drafting import ClickedShapeQuerySet, ProposalQuerySet
from annotation.models.sample import Sample


class Drafting(models.Model):
    """The display of drafts of models on a benchmark. The seed of the control arm never changes, and from its first use
    on, ``fixed_at``, nor does its share. So the arm of a person and a sample stays. The seed is shown nowhere.

    ``click``: the model of shapes from a click, {"endpoint": name, "recipe": recipe, "written": choices of the lead};
    null: none.
    """

    benchmark = models.OneToOneField(Benchmark, on_delete=models.CASCADE, related_name="drafting")
    seed = models.CharField(max_length=32, editable=False)
    control_share = models.FloatField(default=CONTROL_SHARE)
    fixed_at = models.DateTimeField(null=True, default=timezone.now, editable=False)
    shows = models.BooleanField(default=True, help_text="Whether annotators see drafts.")
    click = models.JSONField(null=True, default=None, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(control_share__gte=0.05, control_share__lte=0.5), name="drafting_control_share"
            )
        ]

    def __str__(self) -> str:
        return f"drafting of {self.benchmark}"


class Proposal(models.Model):
    """The draft of a model for one field of a sample. The first draft is kept, because people may have seen it.

    ``content``: a text (question, answer), {letter: text} (options), [{"box": [x1, y1, x2, y2]}] in pixels of the
    original (boxes; those of detectors have a label and a score, polygons and points ``points``), calls (toolchain),
    [{"tool", "step"}] (targets), or names (distractors). ``source``: the name of the model on pages.
    ``planted_error``: shown instead of the content; null: none. After ``withdrawn_at``, it counts as correct, and is
    still shown.
    """

    drafting = models.ForeignKey(Drafting, on_delete=models.CASCADE, related_name="proposals")
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="proposals")
    field = models.CharField(max_length=12, choices=[(one.value, one.value) for one in Field])
    content = models.JSONField()
    source = models.CharField(max_length=200)
    prompt_digest = models.CharField(max_length=64)
    planted_error = models.JSONField(null=True, editable=False)
    withdrawn_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ProposalQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sample", "field"], name="proposal_once_per_field")]

    def __str__(self) -> str:
        return f"{self.field} of {self.sample}"

    @property
    def shown(self) -> Any:
        """The content that people see."""
        return self.content if self.planted_error is None else self.planted_error


class ProposalUse(models.Model):
    """The content of a submission in a drafted field. In the arm ``withheld`` its author did not see the draft.

    ``distance``: 1 − ``annotation.drafting.likeness``; null: nothing to compare. ``seconds``: for which the page was
    visible before the first submission; null: unknown. ``adopted``: whether the first submission had the planted error
    of the draft; null: it has none, or was withheld.
    """

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="proposal_uses")
    proposal = models.ForeignKey(Proposal, on_delete=models.CASCADE, related_name="uses")
    arm = models.CharField(max_length=8, choices=[(one.value, one.value) for one in Arm])
    decision = models.CharField(max_length=9, blank=True, choices=[(one.value, one.value) for one in Decision])
    distance = models.FloatField(null=True)
    seconds = models.FloatField(null=True)
    adopted = models.BooleanField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotation", "proposal"], name="proposal_use_once"),
            models.CheckConstraint(condition=Q(arm="shown") | Q(decision=""), name="proposal_withheld_undecided"),
        ]

    def __str__(self) -> str:
        return f"{self.proposal} in {self.annotation}"


class ClickedShape(models.Model):
    """The shape that a model proposed for a point of an image on which a person clicked, and their decision on it.

    ``x``, ``y``: the point, in pixels of the original. ``shape``: {"box": [x1, y1, x2, y2]}, and "points" of a polygon.
    ``source``: the name of the model on pages; ``digest``: of the recipe. ``decision``: left until a submission.
    """

    drafting = models.ForeignKey(Drafting, on_delete=models.CASCADE, related_name="clicked")
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="clicked")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    x = models.FloatField()
    y = models.FloatField()
    shape = models.JSONField()
    source = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    decision = models.CharField(
        max_length=9, default=Decision.LEFT.value, choices=[(one.value, one.value) for one in Decision]
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ClickedShapeQuerySet.as_manager()

    def __str__(self) -> str:
        return f"shape from a click on {self.sample}"
