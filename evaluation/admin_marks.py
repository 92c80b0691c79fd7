"""The part of the admin with what people put on trajectories and imports. It is changed on their pages, not here."""

from __future__ import annotations

from django.contrib import admin

from evaluation.models import (
    FailureLabel,
    ListColumn,
    ListValue,
    Note,
    SampleAlias,
    SavedMapping,
    SavedSlice,
    Tag,
    Tagging,
    WordBlock,
    WordPart,
)
from webapp.common.admin import ReadOnlyAdmin


@admin.register(Tag)
class TagAdmin(ReadOnlyAdmin):
    list_display = ("name", "benchmark", "owner", "created_at")
    list_filter = ("benchmark",)
    list_select_related = ("benchmark", "owner")
    search_fields = ("name",)


@admin.register(Tagging)
class TaggingAdmin(ReadOnlyAdmin):
    list_display = ("tag", "trajectory_id", "by", "at")
    list_filter = ("tag__benchmark",)
    list_select_related = ("tag", "by")
    search_fields = ("tag__name", "trajectory__sample__key")


@admin.register(Note)
class NoteAdmin(ReadOnlyAdmin):
    list_display = ("trajectory_id", "turn", "text", "author", "created_at")
    list_filter = ("trajectory__run__benchmark",)
    list_select_related = ("author",)
    search_fields = ("text", "trajectory__sample__key")


@admin.register(FailureLabel)
class FailureLabelAdmin(ReadOnlyAdmin):
    list_display = ("trajectory_id", "failure", "person", "current", "at")
    list_filter = ("current", "benchmark")
    list_select_related = ("person",)
    search_fields = ("trajectory__sample__key",)


@admin.register(SavedSlice)
class SavedSliceAdmin(ReadOnlyAdmin):
    list_display = ("name", "query", "benchmark", "created_by")
    list_filter = ("benchmark",)
    list_select_related = ("benchmark", "created_by")
    search_fields = ("name", "query")


@admin.register(ListColumn)
class ListColumnAdmin(ReadOnlyAdmin):
    list_display = ("scoring_id", "name", "kind")
    search_fields = ("name",)


@admin.register(ListValue)
class ListValueAdmin(ReadOnlyAdmin):
    list_display = ("scoring_id", "field", "value", "kind")
    list_filter = ("field",)
    search_fields = ("value",)


@admin.register(WordPart)
class WordPartAdmin(ReadOnlyAdmin):
    list_display = ("run",)
    list_filter = ("run__benchmark",)
    list_select_related = ("run__model",)


@admin.register(WordBlock)
class WordBlockAdmin(ReadOnlyAdmin):
    list_display = ("part_id", "first", "last")
    search_fields = ("first", "last")


@admin.register(SavedMapping)
class SavedMappingAdmin(ReadOnlyAdmin):
    list_display = ("benchmark", "header", "saved_by", "saved_at")
    list_filter = ("benchmark",)
    list_select_related = ("benchmark", "saved_by")
    search_fields = ("header",)


@admin.register(SampleAlias)
class SampleAliasAdmin(ReadOnlyAdmin):
    list_display = ("name", "sample", "benchmark", "accepted_by", "accepted_at")
    list_filter = ("benchmark",)
    list_select_related = ("sample", "benchmark", "accepted_by")
    search_fields = ("name", "sample__key")
