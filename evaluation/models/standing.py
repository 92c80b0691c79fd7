from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from evaluation.metrics.undecided import Range, could_turn, difference_range
from evaluation.models.querysets.runs import ComparisonQuerySet
from evaluation.models.score import Scoring


class Standing(models.Model):
    """A run's rank on its benchmark by one metric, such as "3 [2-6]", with its chance of being best.

    ``rank`` null: no value. ``p_best`` null: fewer than 20 clusters, so nothing is drawn. ``low`` and ``high`` then
    come from tests, and are null for a single run or a ranking from before tests were used. ``p_top3``, the chance of
    being among the first three, is also null then, and with three or fewer ranked runs. ``detail``: n, clusters,
    method, and draws and seed or pairs. Scripted baselines have no standing.
    """

    scoring = models.ForeignKey(Scoring, on_delete=models.CASCADE, related_name="standings")
    metric = models.CharField(max_length=60)
    rank = models.PositiveIntegerField(null=True)
    low = models.PositiveIntegerField(null=True)
    high = models.PositiveIntegerField(null=True)
    p_best = models.FloatField(null=True)
    p_top3 = models.FloatField(null=True)
    detail = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scoring", "metric"], name="standing_once_per_metric")]

    def __str__(self) -> str:
        return f"{self.rank} by {self.metric}"


class Comparison(models.Model):
    """Two runs compared on their common samples (docs/metrics.md#two-runs).

    ``difference`` = accuracy_b - accuracy_a. ``a_only``, ``b_only``: samples that only one run answers correctly.
    ``p_value``: exact McNemar test. ``p_cluster``: cluster sign-flip test. The interval is Newcombe's. Views apply
    Holm's correction.
    """

    a = models.ForeignKey(Scoring, on_delete=models.CASCADE, related_name="compared_as_a")
    b = models.ForeignKey(Scoring, on_delete=models.CASCADE, related_name="compared_as_b")
    n = models.PositiveIntegerField()
    accuracy_a = models.FloatField(null=True)
    accuracy_b = models.FloatField(null=True)
    difference = models.FloatField(null=True)
    a_only = models.PositiveIntegerField()
    b_only = models.PositiveIntegerField()
    p_value = models.FloatField(null=True)
    p_cluster = models.FloatField(null=True)
    ci_low = models.FloatField(null=True)
    ci_high = models.FloatField(null=True)
    detectable = models.FloatField(null=True, help_text="Minimum detectable difference, 80 % power.")
    accuracy_a_low = models.FloatField(null=True, help_text="The least that undecided answers allow.")
    accuracy_a_high = models.FloatField(null=True, help_text="The most that undecided answers allow.")
    accuracy_b_low = models.FloatField(null=True)
    accuracy_b_high = models.FloatField(null=True)

    objects = ComparisonQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["a", "b"], name="comparison_once"),
            models.CheckConstraint(condition=~Q(a=F("b")), name="comparison_of_two"),
        ]

    def __str__(self) -> str:
        return f"{self.b_id} against {self.a_id}"

    @property
    def range(self) -> Range:
        """The range of the difference that undecided answers allow."""
        return difference_range(
            (self.accuracy_a_low, self.accuracy_a_high), (self.accuracy_b_low, self.accuracy_b_high)
        )  # fmt: skip

    @property
    def difference_low(self) -> float | None:
        return self.range[0]

    @property
    def difference_high(self) -> float | None:
        return self.range[1]

    @property
    def could_turn(self) -> bool:
        """Whether undecided answers could reverse the sign of the difference."""
        return could_turn(self.difference, *self.range)
