from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotation.consensus import Combine, ConsensusRule, Support
from annotation.models.annotation import Revision
from annotation.models.benchmark import Benchmark
from annotation.models.sample import Sample


class AdjudicationRule(models.Model):
    """The rule for combining the annotations of one sample to its gold. Rules are numbered and never change: a change
    makes the next number, so that each round names the rule it was measured by. A benchmark without a row has the
    defaults.
    """

    class Scope(models.TextChoices):
        DISPUTES = "disputes", gettext_lazy("only disputes")
        ALL = "all", gettext_lazy("all samples")

    class WhenAgreed(models.TextChoices):
        REVIEW = "review", gettext_lazy("wait for a reviewer")
        ACCEPT = "accept", gettext_lazy("are accepted at once")

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="adjudication_rules")
    number = models.PositiveIntegerField(default=0)
    scope = models.CharField(max_length=8, choices=Scope, default=Scope.DISPUTES)
    when_agreed = models.CharField(max_length=6, choices=WhenAgreed, default=WhenAgreed.REVIEW)
    box_iou = models.FloatField(default=0.5, help_text="Least IoU of boxes of one group, and of whole regions.")
    support = models.CharField(max_length=8, choices=[(s.value, s.value) for s in Support], default=Support.ALL.value)
    combine = models.CharField(
        max_length=12, choices=[(c.value, c.value) for c in Combine], default=Combine.MEDIAN.value
    )
    hide_names = models.BooleanField(default=True, help_text="Adjudicators see letters instead of names.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["benchmark_id", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "number"], name="adjudication_rule_number_once"),
            models.CheckConstraint(condition=Q(box_iou__gt=0, box_iou__lte=1), name="adjudication_iou_is_a_share"),
        ]

    def __str__(self) -> str:
        return f"adjudication rule {self.number} of {self.benchmark}"

    @property
    def consensus(self) -> ConsensusRule:
        return ConsensusRule(self.box_iou, Support(self.support), Combine(self.combine))


class Adjudication(models.Model):
    """One round in which the annotations of a sample are compared and one gold is made of them.

    ``measured``: ``{field: {"agreed", "value"}}``; ``decision``: empty while the round is open. ``result`` is the
    revision that became gold, if one did.
    """

    class Outcome(models.TextChoices):
        AGREED = "agreed"
        DISPUTED = "disputed"

    class Decision(models.TextChoices):
        CONSENSUS = "consensus", gettext_lazy("accepted automatically")
        ONE = "one", gettext_lazy("one annotation accepted")
        MIX = "mix", gettext_lazy("combined and accepted")
        RETURN = "return", gettext_lazy("returned")
        DISCARD = "discard", gettext_lazy("discarded")
        OVERTAKEN = "overtaken", gettext_lazy("closed without a decision")

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="adjudications")
    round = models.PositiveSmallIntegerField()
    rule = models.ForeignKey(AdjudicationRule, on_delete=models.PROTECT, related_name="+")
    measured = models.JSONField(default=dict)
    outcome = models.CharField(max_length=8, choices=Outcome)
    decision = models.CharField(max_length=9, choices=Decision, blank=True, default="")
    adjudicator = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="adjudications"
    )
    result = models.ForeignKey(Revision, null=True, blank=True, on_delete=models.PROTECT, related_name="adjudications")
    opened_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["sample_id", "round"]
        constraints = [
            models.UniqueConstraint(fields=["sample", "round"], name="adjudication_round_once"),
            models.UniqueConstraint(fields=["sample"], condition=Q(decision=""), name="adjudication_one_open"),
            models.CheckConstraint(
                condition=Q(decision="", decided_at__isnull=True) | (~Q(decision="") & Q(decided_at__isnull=False)),
                name="adjudication_decided_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"adjudication {self.round} of {self.sample}"
