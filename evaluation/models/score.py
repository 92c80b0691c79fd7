from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.models import Benchmark
from evaluation.models.querysets.runs import MetricQuerySet, ScoringQuerySet
from evaluation.models.run import Run


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
    """One computation of a run's scores, with its settings and gold. It can always be repeated.

    ``gold_digest`` identifies the gold. A benchmark with another digest makes the scoring stale. ``version`` is the
    frozen version with that gold, null if the benchmark has changed since its last freeze.
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
    answers_n = models.PositiveIntegerField(default=0, help_text="Answers given to questions with a gold answer.")
    unread_n = models.PositiveIntegerField(default=0, help_text="Of these, those in which no option could be read.")
    provisional = models.BooleanField(default=False, help_text="Too many answers are unread: no rank.")

    objects = ScoringQuerySet.as_manager()

    def __str__(self) -> str:
        return f"scores of {self.run}"


class ScoreFile(models.Model):
    """The file of a run in the score store: one row per trajectory with its scores (``evaluation.store.schema``).

    It never changes; each scoring writes a new file. ``revision``: of the run when it was scored. If trajectories
    changed since, the others keep their scores. A file with another ``schema`` is no longer read.
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


class ListFile(models.Model):
    """One file with the rows of a benchmark with many runs, for lists (``evaluation.store.list_file``).

    It never changes; a scoring writes a new file. ``files``: the digest of the ``ScoreFile`` of each included run, by
    run id. ``engine``: the version of DuckDB that wrote the file. Other versions don't read it.
    """

    benchmark = models.OneToOneField(Benchmark, on_delete=models.CASCADE, related_name="list_file")
    files = models.JSONField()
    schema = models.PositiveSmallIntegerField()
    engine = models.CharField(max_length=40)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the file, which is also its name.")
    bytes = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"list of {self.benchmark}"


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
