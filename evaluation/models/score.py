from __future__ import annotations

from django.db import models
from django.db.models import Q

from evaluation.models.querysets.runs import MetricQuerySet, ScoreQuerySet, ScoringQuerySet
from evaluation.models.run import Run, Trajectory


class BenchmarkSettings(models.Model):
    """The metric settings (docs/metrics.md#settings) that a benchmark is scored with; only what differs from the
    defaults."""

    benchmark = models.OneToOneField("annotation.Benchmark", on_delete=models.CASCADE, related_name="metric_settings")
    values = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name_plural = "benchmark settings"

    def __str__(self) -> str:
        return f"settings of {self.benchmark}"


class Scoring(models.Model):
    """One computation of a run's scores: with which settings and on which gold. Derived: it can always be made again.

    ``gold_digest`` names the gold it saw; a benchmark whose digest differs makes it stale. ``version`` is the frozen
    version with that gold, null when the benchmark has changed since its last freeze.
    """

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="scoring")
    settings = models.JSONField(default=dict, blank=True)
    version = models.ForeignKey("annotation.Version", null=True, on_delete=models.SET_NULL, related_name="+")
    gold_digest = models.CharField(max_length=64)
    stale = models.BooleanField(default=False)
    reading_version = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Of the rules that read the answers; those of an earlier one are stale."
    )
    computed_at = models.DateTimeField()
    seconds = models.FloatField()
    samples_n = models.PositiveIntegerField()
    trajectories_n = models.PositiveIntegerField()
    failed_n = models.PositiveIntegerField(default=0)
    answers_n = models.PositiveIntegerField(default=0, help_text="Answers given to questions with a right answer.")
    unread_n = models.PositiveIntegerField(default=0, help_text="Of these, those in which no option could be read.")
    provisional = models.BooleanField(default=False, help_text="Too many answers are unread: no rank.")

    objects = ScoringQuerySet.as_manager()

    def __str__(self) -> str:
        return f"scores of {self.run}"


class ScoreFile(models.Model):
    """The file of a run in the score store: one row per trajectory, with its scores (``evaluation.store.schema``).

    It never changes; a new state of the run is a new file. ``revision``: of the run when it was written. A file of
    another revision or ``schema`` is not read any more.
    """

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="file")
    revision = models.PositiveBigIntegerField()
    schema = models.PositiveSmallIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the file, which is also its name.")
    rows = models.PositiveIntegerField()
    bytes = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"file of {self.run}"


class Score(models.Model):
    """The per-trajectory measures of docs/metrics.md#exports; null where undefined. See
    ``evaluation.metrics.columns``."""

    trajectory = models.OneToOneField(Trajectory, on_delete=models.CASCADE, related_name="score", primary_key=True)
    scoring = models.ForeignKey(Scoring, on_delete=models.CASCADE, related_name="scores")
    correct = models.BooleanField(null=True)
    undecided = models.BooleanField()
    unread = models.BooleanField()
    missing_answer = models.BooleanField()
    letter = models.CharField(max_length=200, blank=True, default="")
    reading_where = models.SmallIntegerField(
        default=-1,
        db_default=-1,
        help_text="How the answer was read: places in lists of evaluation.metrics.reading.",
    )
    reading_rule = models.SmallIntegerField(default=-1, db_default=-1)
    reading_class = models.SmallIntegerField(default=-1, db_default=-1)
    unread_reason = models.SmallIntegerField(default=-1, db_default=-1)
    reading_flags = models.CharField(max_length=80, blank=True, default="", db_default="")
    answer_group = models.CharField(
        max_length=16,
        blank=True,
        default="",
        db_default="",
        help_text="Name of the undecided answers with the same text under the same options.",
    )
    verdict_by = models.SmallIntegerField(
        default=0, db_default=0, help_text="What decided the answer: see evaluation.metrics.columns.VerdictBy."
    )
    file_verdict = models.BooleanField(null=True, help_text="What the imported file says of the answer.")
    reading_correct = models.BooleanField(null=True, help_text="The verdict of reading the answer alone.")
    invoked = models.BooleanField()
    in_population = models.BooleanField()
    grounded = models.BooleanField(null=True)
    quadrant = models.SmallIntegerField(default=-1)
    crop_index = models.IntegerField(null=True)
    crop_x1 = models.FloatField(null=True)
    crop_y1 = models.FloatField(null=True)
    crop_x2 = models.FloatField(null=True)
    crop_y2 = models.FloatField(null=True)
    coverage = models.FloatField(null=True)
    concentration = models.FloatField(null=True)
    ioa = models.FloatField(null=True)
    iou = models.FloatField(null=True)
    union_coverage = models.FloatField(null=True, help_text="Share of the gold region in all usable crops together.")
    center_hit = models.BooleanField(null=True)
    zoom_factor = models.FloatField(null=True)
    usable_crops = models.IntegerField()
    unusable_crops = models.IntegerField()
    cropped_region_size = models.FloatField(null=True)
    visual_evidence = models.BooleanField()
    calls = models.IntegerField()
    unique_tools = models.IntegerField()
    reference_chain = models.IntegerField(
        null=True, help_text="The accepted chain it is held against: 0 the gold's, then further ones in their order."
    )
    reference_calls = models.IntegerField(null=True)
    effective_calls = models.IntegerField()
    effective_unique_tools = models.IntegerField()
    chain_status = models.SmallIntegerField()
    edit_distance = models.IntegerField(null=True)
    lcs = models.IntegerField(null=True)
    kendall_tau = models.FloatField(null=True)
    plan_outcome = models.SmallIntegerField(default=-1)
    plan_missing = models.IntegerField(null=True)
    plan_extra = models.IntegerField(null=True)
    plan_in_order = models.BooleanField(null=True)
    plan_prefix = models.IntegerField(null=True)
    failure = models.SmallIntegerField(
        default=-1, db_default=-1, help_text="What went wrong by rule: see evaluation.metrics.failures."
    )
    aligned = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="Pairs of tools, as evaluation.metrics.chains writes them.",
    )
    followed = models.TextField(blank=True, default="", db_default="", help_text="The same of one tool and the next.")

    objects = ScoreQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["scoring", "quadrant"], name="score_by_quadrant"),
            models.Index(fields=["scoring", "answer_group"], name="score_by_answer_group"),
        ]

    def __str__(self) -> str:
        return f"score of {self.trajectory_id}"

    @property
    def verdict(self) -> str:
        """ "correct", "incorrect" or "undecided"; "" without a gold answer."""
        if self.correct is None:
            return "undecided" if self.undecided else ""
        return "correct" if self.correct else "incorrect"


class Metric(models.Model):
    """One metric of one run on one slice, with its interval (docs/metrics.md#exports). ``value`` null: undefined,
    shown as n/a."""

    scoring = models.ForeignKey(Scoring, on_delete=models.CASCADE, related_name="metrics")
    metric = models.CharField(max_length=60)
    slice_by = models.CharField(max_length=60, blank=True, default="")
    slice = models.CharField(max_length=200, blank=True, default="")
    value = models.FloatField(null=True)
    n = models.IntegerField()
    numerator = models.FloatField(null=True)
    ci_low = models.FloatField(null=True)
    ci_high = models.FloatField(null=True)
    ci_method = models.CharField(max_length=40, blank=True, default="")
    p_value = models.FloatField(null=True)
    detail = models.JSONField(default=dict, blank=True)

    objects = MetricQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scoring", "slice_by", "slice", "metric"], name="metric_once_per_slice"),
            models.CheckConstraint(condition=Q(n__gte=0), name="metric_n_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.metric} of {self.scoring_id}"
