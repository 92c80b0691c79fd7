from django.contrib import admin
from django.http import HttpRequest

from webapp.common.models import AuditEntry


@admin.register(AuditEntry)
class AuditEntryAdmin(admin.ModelAdmin):
    """To be read: what was written down is not changed."""

    list_display = ("created", "actor", "action", "subject_type", "subject_id", "benchmark", "before", "after")
    list_filter = ("action", "subject_type")
    list_select_related = ("actor",)
    search_fields = ("subject_id", "benchmark", "reason")
    date_hierarchy = "created"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False
