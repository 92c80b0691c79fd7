"""The half of the admin where people's work is looked up. What actions derive or freeze is to be read only."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from annotation.models import (
    AcceptedChain,
    Annotation,
    Assignment,
    AuditDraw,
    AuditItem,
    BankTool,
    Benchmark,
    BenchmarkQueue,
    BlindAnswer,
    CheckAnswer,
    Comment,
    ContentChange,
    Draft,
    FacetValue,
    Gold,
    GoldBox,
    GoldCheck,
    Image,
    ImportIssue,
    ImportRecord,
    InvitedRole,
    Lease,
    Membership,
    OriginalFile,
    Pause,
    PlanTool,
    QualityRules,
    Receipt,
    ReferenceCall,
    Review,
    Revision,
    Sample,
    Skip,
    SkippedDraft,
    ToolName,
    VerifiedChain,
    Version,
    VersionEntry,
)
from webapp.common.admin import ReadOnlyAdmin, ReadOnlyInline


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 1
    raw_id_fields = ("user",)


@admin.register(Benchmark)
class BenchmarkAdmin(admin.ModelAdmin):
    list_display = ("title", "slug", "public", "licence", "created_at", "created_by")
    list_filter = ("public",)
    list_select_related = ("created_by",)
    search_fields = ("title", "slug", "description")
    readonly_fields = ("slug", "public", "created_at", "created_by")
    inlines = (MembershipInline,)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Made on the page of the site, so that its maker becomes its lead and the audit log knows."""
        return False


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):
    list_display = ("user", "role", "benchmark")
    list_filter = ("role", "benchmark")
    list_select_related = ("user", "benchmark")
    search_fields = ("user__email", "user__name", "benchmark__slug")
    raw_id_fields = ("user", "benchmark")


@admin.register(InvitedRole)
class InvitedRoleAdmin(ReadOnlyAdmin):
    list_display = ("invitation", "role", "benchmark")
    list_filter = ("role",)
    list_select_related = ("invitation", "benchmark")
    search_fields = ("invitation__email", "benchmark__slug")


@admin.register(Version)
class VersionAdmin(ReadOnlyAdmin):
    list_display = ("benchmark", "number", "note", "frozen_at", "frozen_by", "checksum")
    list_filter = ("benchmark",)
    list_select_related = ("benchmark", "frozen_by")
    search_fields = ("benchmark__slug", "note", "checksum")


@admin.register(VersionEntry)
class VersionEntryAdmin(ReadOnlyAdmin):
    list_display = ("sample", "version", "revision_id")
    list_filter = ("version__benchmark",)
    list_select_related = ("sample", "version__benchmark")
    search_fields = ("sample__key",)


@admin.register(Image)
class ImageAdmin(ReadOnlyAdmin):
    list_display = ("sha256", "width", "height", "format", "bytes", "state", "problem", "created_at")
    list_filter = ("state", "format")
    search_fields = ("sha256", "originals__sha256", "problem", "samples__key")


@admin.register(OriginalFile)
class OriginalFileAdmin(ReadOnlyAdmin):
    list_display = ("sha256", "bytes", "image", "created_at")
    list_select_related = ("image",)
    search_fields = ("sha256", "image__sha256")


class FacetInline(ReadOnlyInline):
    model = FacetValue


@admin.register(Sample)
class SampleAdmin(ReadOnlyAdmin):
    list_display = ("key", "benchmark", "state", "width", "height", "evidence_share", "image_problem", "changed_at")
    list_filter = ("state", "benchmark")
    list_select_related = ("benchmark",)
    search_fields = ("key", "image_name", "image_group")
    inlines = (FacetInline,)


@admin.register(FacetValue)
class FacetValueAdmin(ReadOnlyAdmin):
    list_display = ("sample", "name", "value", "position", "kind")
    list_filter = ("sample__benchmark", "kind")
    list_select_related = ("sample",)
    search_fields = ("name", "value", "sample__key")


@admin.register(Gold)
class GoldAdmin(ReadOnlyAdmin):
    list_display = ("sample", "revision_id", "accepted_at")
    list_filter = ("sample__benchmark",)
    list_select_related = ("sample",)
    search_fields = ("sample__key",)


@admin.register(Annotation)
class AnnotationAdmin(ReadOnlyAdmin):
    list_display = ("sample", "author", "state", "imported", "changed_at")
    list_filter = ("state", "imported", "sample__benchmark")
    list_select_related = ("sample", "author")
    search_fields = ("sample__key", "author__email", "author__name")


class GoldBoxInline(ReadOnlyInline):
    model = GoldBox


class ReferenceCallInline(ReadOnlyInline):
    model = ReferenceCall


class PlanToolInline(ReadOnlyInline):
    model = PlanTool


@admin.register(Revision)
class RevisionAdmin(ReadOnlyAdmin):
    list_display = ("id", "annotation", "number", "answer_type", "question", "submitted_at")
    list_filter = ("answer_type", "annotation__sample__benchmark")
    list_select_related = ("annotation__sample", "annotation__author")
    search_fields = ("question", "digest", "annotation__sample__key")
    inlines = (GoldBoxInline, ReferenceCallInline, PlanToolInline)


@admin.register(Review)
class ReviewAdmin(ReadOnlyAdmin):
    list_display = ("revision_id", "reviewer", "decision", "comment", "created_at")
    list_filter = ("decision",)
    list_select_related = ("reviewer",)
    search_fields = ("comment", "reviewer__email", "revision__annotation__sample__key")


@admin.register(GoldBox, ReferenceCall, PlanTool)
class PartOfRevisionAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "revision_id", "position")
    search_fields = ("revision__annotation__sample__key",)


@admin.register(ImportRecord)
class ImportRecordAdmin(ReadOnlyAdmin):
    list_display = ("file_name", "benchmark", "kind", "format", "state", "created_by", "created_at", "finished_at")
    list_filter = ("kind", "state", "format", "benchmark")
    list_select_related = ("benchmark", "created_by")
    search_fields = ("file_name", "sha256", "error")


@admin.register(ImportIssue)
class ImportIssueAdmin(ReadOnlyAdmin):
    list_display = ("record", "severity", "rule", "file", "place", "field", "found", "done")
    list_filter = ("severity", "rule")
    list_select_related = ("record__benchmark",)
    search_fields = ("rule", "file", "found")


@admin.register(ContentChange)
class ContentChangeAdmin(ReadOnlyAdmin):
    list_display = ("benchmark", "changes")
    list_select_related = ("benchmark",)
    search_fields = ("benchmark__slug",)


@admin.register(Lease)
class LeaseAdmin(ReadOnlyAdmin):
    list_display = ("sample", "seat", "place", "user", "taken_at", "expires_at")
    list_filter = ("seat",)
    list_select_related = ("sample", "user")
    search_fields = ("sample__key", "user__email")


@admin.register(Skip)
class SkipAdmin(ReadOnlyAdmin):
    list_display = ("sample", "seat", "user", "reason", "created_at")
    list_filter = ("seat",)
    list_select_related = ("sample", "user")
    search_fields = ("sample__key", "user__email", "reason")


@admin.register(Pause)
class PauseAdmin(ReadOnlyAdmin):
    list_display = ("benchmark", "user", "reason", "paused_at", "paused_by", "lifted_at", "lifted_by")
    list_filter = ("benchmark",)
    list_select_related = ("benchmark", "user", "paused_by", "lifted_by")
    search_fields = ("benchmark__slug", "user__email", "reason")


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    list_display = ("sample", "user", "created_at")
    list_select_related = ("sample", "user")
    search_fields = ("sample__key", "user__email")


@admin.register(BenchmarkQueue)
class BenchmarkQueueAdmin(ReadOnlyAdmin):
    list_display = ("benchmark", "order", "facet", "overlap", "overlap_share", "review_share", "blind", "lease_minutes")
    list_select_related = ("benchmark",)
    search_fields = ("benchmark__title", "benchmark__slug")


class ToolNameInline(ReadOnlyInline):
    model = ToolName


@admin.register(BankTool)
class BankToolAdmin(ReadOnlyAdmin):
    list_display = ("name", "benchmark", "state", "segment", "merged_into", "proposed_by", "decided_by", "created_at")
    list_filter = ("state", "segment", "benchmark")
    list_select_related = ("benchmark", "merged_into", "proposed_by", "decided_by")
    search_fields = ("name", "names__name", "reason")
    inlines = (ToolNameInline,)


@admin.register(ToolName)
class ToolNameAdmin(ReadOnlyAdmin):
    list_display = ("name", "tool", "benchmark")
    list_filter = ("benchmark",)
    list_select_related = ("tool", "benchmark")
    search_fields = ("name", "tool__name")


@admin.register(SkippedDraft)
class SkippedDraftAdmin(ReadOnlyAdmin):
    list_display = ("sample", "user", "changed_at")
    list_select_related = ("sample", "user")
    search_fields = ("sample__key", "user__email")


@admin.register(Draft)
class DraftAdmin(ReadOnlyAdmin):
    list_display = ("annotation_id", "version", "changed_at")
    search_fields = ("annotation__sample__key", "annotation__author__email")


@admin.register(Receipt)
class ReceiptAdmin(ReadOnlyAdmin):
    list_display = ("user", "about", "key", "created_at")
    list_select_related = ("user",)
    search_fields = ("user__email", "about", "key")


@admin.register(Comment)
class CommentAdmin(ReadOnlyAdmin):
    list_display = ("annotation_id", "author", "text", "created_at", "resolved_at")
    list_select_related = ("author",)
    search_fields = ("text", "author__email", "annotation__sample__key")


@admin.register(BlindAnswer)
class BlindAnswerAdmin(ReadOnlyAdmin):
    list_display = ("revision_id", "reviewer", "answer", "unsure", "right", "seconds", "created_at")
    list_filter = ("unsure", "right")
    list_select_related = ("reviewer",)
    search_fields = ("answer", "reviewer__email", "revision__annotation__sample__key")


@admin.register(QualityRules)
class QualityRulesAdmin(ReadOnlyAdmin):
    list_display = ("benchmark", "check_first", "check_share", "pause_below", "extra_below", "extra_most")
    list_select_related = ("benchmark",)


@admin.register(GoldCheck)
class GoldCheckAdmin(ReadOnlyAdmin):
    list_display = ("sample", "active", "added_by", "added_at")
    list_filter = ("active",)
    list_select_related = ("sample", "added_by")
    search_fields = ("sample__key",)


@admin.register(CheckAnswer)
class CheckAnswerAdmin(ReadOnlyAdmin):
    list_display = ("check_of_id", "user", "state", "passed", "same_answer", "iou", "handed_in_at")
    list_filter = ("state", "passed")
    list_select_related = ("user",)
    search_fields = ("user__email", "check_of__sample__key")


@admin.register(AuditDraw)
class AuditDrawAdmin(ReadOnlyAdmin):
    list_display = ("benchmark", "number", "share", "drawn_from", "seed", "drawn_at", "drawn_by")
    list_select_related = ("benchmark", "drawn_by")


@admin.register(AuditItem)
class AuditItemAdmin(ReadOnlyAdmin):
    list_display = ("sample", "draw_id", "auditor", "verdict", "outcome", "decided_at")
    list_filter = ("verdict", "outcome")
    list_select_related = ("sample", "auditor")
    search_fields = ("sample__key", "auditor__email")


@admin.register(AcceptedChain)
class AcceptedChainAdmin(ReadOnlyAdmin):
    list_display = ("sample", "digest", "note", "accepted_by", "created_at")
    list_select_related = ("sample", "accepted_by")
    search_fields = ("sample__key", "accepted_by__email", "note")


@admin.register(VerifiedChain)
class VerifiedChainAdmin(ReadOnlyAdmin):
    list_display = ("sample", "digest", "kind", "answer", "person", "created_at")
    list_select_related = ("sample", "person")
    search_fields = ("sample__key", "person__email")
