"""The half of the admin where runs and scores are looked up. Scores are derived: they are made again, never edited."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import URLField
from django.http import HttpRequest

from evaluation import admin_marks as admin_marks
from evaluation.models import (
    BenchmarkSettings,
    Comparison,
    Intervention,
    Judgement,
    JudgingItem,
    JudgingQueue,
    JudgingSeat,
    Metric,
    Model,
    Replay,
    ReplayedStep,
    Rollout,
    RolloutGroup,
    Run,
    Score,
    Scoring,
    SliceTables,
    Standing,
    Step,
    ToolList,
    Trajectory,
)
from webapp.common.admin import ReadOnlyAdmin, ReadOnlyInline


@admin.register(Model)
class ModelAdmin(admin.ModelAdmin):
    """A model's name is how imports find it; its link may be added here. Baselines are marked where runs are made."""

    list_display = ("name", "baseline", "url")
    list_filter = ("baseline",)
    search_fields = ("name", "url")
    readonly_fields = ("name", "baseline")
    formfield_overrides = {URLField: {"assume_scheme": "https"}}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(Run)
class RunAdmin(admin.ModelAdmin):
    """The note may be changed; the rest comes from the file."""

    list_display = ("model", "setting", "benchmark", "created_at", "created_by")
    list_filter = ("benchmark", "model__baseline")
    list_select_related = ("model", "benchmark", "created_by")
    search_fields = ("model__name", "setting", "note")
    readonly_fields = ("benchmark", "model", "setting", "extra", "created_at", "created_by")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class StepInline(ReadOnlyInline):
    model = Step
    fields = ("position", "tool", "x1", "y1", "x2", "y2", "coords", "image_in", "image_out", "ok", "flag")


class ToolListInline(ReadOnlyInline):
    model = ToolList
    fields = ("name", "source", "line")


@admin.register(Trajectory)
class TrajectoryAdmin(ReadOnlyAdmin):
    list_display = ("sample", "run", "rollout", "condition", "answer", "error")
    list_filter = ("condition", "run__benchmark", "run__model")
    list_select_related = ("sample", "run__model")
    search_fields = ("sample__key", "run__model__name", "answer", "error")
    inlines = (StepInline, ToolListInline)


@admin.register(ToolList)
class ToolListAdmin(ReadOnlyAdmin):
    list_display = ("trajectory", "name", "source", "line")
    list_filter = ("name", "trajectory__run__benchmark")
    list_select_related = ("trajectory__run__model", "trajectory__sample", "source")
    search_fields = ("trajectory__sample__key", "trajectory__run__model__name")


@admin.register(Step)
class StepAdmin(ReadOnlyAdmin):
    list_display = ("trajectory_id", "position", "tool", "ok", "flag")
    list_filter = ("ok", "flag", "coords")
    search_fields = ("tool", "trajectory__sample__key")


@admin.register(Intervention)
class InterventionAdmin(ReadOnlyAdmin):
    list_display = ("run", "sample", "condition", "correct")
    list_filter = ("condition", "correct", "run__benchmark")
    list_select_related = ("run__model", "sample")
    search_fields = ("sample__key", "run__model__name")


@admin.register(Judgement)
class JudgementAdmin(ReadOnlyAdmin):
    list_display = ("run", "sample", "kind", "judge", "verdict")
    list_filter = ("kind", "run__benchmark")
    list_select_related = ("run__model", "sample")
    search_fields = ("sample__key", "judge", "run__model__name")


class ReplayedStepInline(ReadOnlyInline):
    model = ReplayedStep


@admin.register(Replay)
class ReplayAdmin(ReadOnlyAdmin):
    list_display = ("trajectory", "person", "created_at", "opencv")
    list_select_related = ("trajectory__run__model", "trajectory__sample", "person")
    search_fields = ("trajectory__sample__key",)
    inlines = (ReplayedStepInline,)


@admin.register(ReplayedStep)
class ReplayedStepAdmin(ReadOnlyAdmin):
    list_display = ("replay_id", "position", "outcome", "ok", "out_width", "out_height")
    list_filter = ("outcome",)
    search_fields = ("reason",)


class RolloutInline(ReadOnlyInline):
    model = Rollout


@admin.register(RolloutGroup)
class RolloutGroupAdmin(ReadOnlyAdmin):
    list_display = ("group_id", "benchmark", "alpha")
    list_filter = ("benchmark",)
    list_select_related = ("benchmark",)
    search_fields = ("group_id",)
    inlines = (RolloutInline,)


@admin.register(Rollout)
class RolloutAdmin(ReadOnlyAdmin):
    list_display = ("group", "position", "image_tokens", "acc", "format", "sufficient")
    list_filter = ("sufficient",)
    list_select_related = ("group",)
    search_fields = ("group__group_id",)


@admin.register(BenchmarkSettings)
class BenchmarkSettingsAdmin(ReadOnlyAdmin):
    list_display = ("benchmark", "values")
    list_select_related = ("benchmark",)
    search_fields = ("benchmark__slug",)


@admin.register(Scoring)
class ScoringAdmin(ReadOnlyAdmin):
    list_display = ("run", "stale", "computed_at", "seconds", "samples_n", "trajectories_n", "failed_n", "version")
    list_filter = ("stale", "run__benchmark")
    list_select_related = ("run__model", "version__benchmark")
    search_fields = ("run__model__name", "gold_digest")


@admin.register(Score)
class ScoreAdmin(ReadOnlyAdmin):
    list_display = ("trajectory", "correct", "grounded", "quadrant", "coverage", "concentration", "ioa", "calls")
    list_filter = ("correct", "grounded", "in_population", "quadrant", "scoring__run__benchmark")
    list_select_related = ("trajectory__run__model", "trajectory__sample")
    search_fields = ("trajectory__sample__key", "trajectory__run__model__name")


@admin.register(Metric)
class MetricAdmin(ReadOnlyAdmin):
    list_display = ("metric", "run_of", "slice_by", "slice", "value", "n", "ci_low", "ci_high", "ci_method")
    list_filter = ("slice_by", "scoring__run__benchmark")
    list_select_related = ("scoring__run__model",)
    search_fields = ("metric", "slice", "scoring__run__model__name")

    @admin.display(description="run", ordering="scoring__run__model__name")
    def run_of(self, metric: Metric) -> str:
        return str(metric.scoring.run)


@admin.register(Standing)
class StandingAdmin(ReadOnlyAdmin):
    list_display = ("scoring", "metric", "rank", "low", "high", "p_best", "p_top3")
    list_filter = ("metric", "scoring__run__benchmark")
    list_select_related = ("scoring__run__model",)
    search_fields = ("scoring__run__model__name",)


@admin.register(Comparison)
class ComparisonAdmin(ReadOnlyAdmin):
    list_display = ("a", "b", "n", "accuracy_a", "accuracy_b", "difference", "p_value", "p_cluster")
    list_filter = ("a__run__benchmark",)
    list_select_related = ("a__run__model", "b__run__model")
    search_fields = ("a__run__model__name", "b__run__model__name")


@admin.register(JudgingQueue)
class JudgingQueueAdmin(ReadOnlyAdmin):
    list_display = ("pk", "benchmark", "people", "drawn_from", "created_by", "created_at")
    list_filter = ("benchmark",)
    list_select_related = ("benchmark", "created_by")
    search_fields = ("benchmark__slug", "seed")


@admin.register(JudgingItem)
class JudgingItemAdmin(ReadOnlyAdmin):
    list_display = ("queue_id", "key", "trajectory_id", "kind")
    list_filter = ("kind",)
    search_fields = ("key",)


@admin.register(JudgingSeat)
class JudgingSeatAdmin(ReadOnlyAdmin):
    list_display = ("item_id", "place", "user", "taken_at", "done_at")
    list_select_related = ("user",)
    search_fields = ("user__email",)


@admin.register(SliceTables)
class SliceTablesAdmin(ReadOnlyAdmin):
    list_display = ("scoring_id", "slice_by", "slice")
    list_filter = ("slice_by",)
    search_fields = ("slice",)
