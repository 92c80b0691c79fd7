"""The half of the admin where runs and scores are looked up. Scores are derived: they are made again, never edited."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import URLField
from django.http import HttpRequest

from annotation.admin import NAMED
from evaluation.models import (
    Model,
    Replay,
    ReplayedStep,
    Rollout,
    RolloutGroup,
    Run,
    Scoring,
    Step,
    Tag,
    ToolList,
    Trajectory,
)
from webapp.common.admin import Named, register_read_only


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


register_read_only(
    "evaluation",
    {
        **NAMED,
        Model: Named("name"),
        Run: Named("model__name", ["model"]),
        Scoring: Named("run__model__name", ["run__model"]),
        Tag: Named("name"),
        Trajectory: Named("sample__key", ["sample", "run__model"]),
    },
    {Trajectory: [Step, ToolList], Replay: [ReplayedStep], RolloutGroup: [Rollout]},
)
