"""The half of the admin where people's work is looked up. What actions derive or freeze is to be read only."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from annotation.models import (
    BankTool,
    Benchmark,
    BuildDecision,
    BuildItem,
    FacetValue,
    GoldBox,
    GoldShape,
    Image,
    ItemAudit,
    Membership,
    PlanTool,
    ReferenceCall,
    Revision,
    Sample,
    ToolName,
)
from webapp.accounts.models import User
from webapp.common.admin import Named, register_read_only

NAMED = {
    Benchmark: Named("slug"),
    Image: Named("sha256"),
    Sample: Named("key"),
    BankTool: Named("name"),
    BuildItem: Named("number"),
    User: Named("email"),
}


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


register_read_only(
    "annotation",
    NAMED,
    {
        Sample: [FacetValue],
        Revision: [GoldBox, GoldShape, ReferenceCall, PlanTool],
        BankTool: [ToolName],
        BuildItem: [BuildDecision, ItemAudit],
    },
)
