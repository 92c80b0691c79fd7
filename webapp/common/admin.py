from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from webapp.common.models import AuditEntry

admin.site.site_header = "Sightline administration"
admin.site.site_title = "Sightline"


class ReadOnly:
    """To be read: such rows are written by actions, which keep what hangs together and write the audit log."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, admin.ModelAdmin):
    """Long tables: the rows of a search are counted, not those of the whole table."""

    show_full_result_count = False
    list_per_page = 50


class ReadOnlyInline(ReadOnly, admin.TabularInline):
    extra = 0


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """What was written down is not changed."""

    list_display = ("created", "actor", "action", "subject_type", "subject_id", "benchmark", "before", "after")
    list_filter = ("action", "subject_type")
    list_select_related = ("actor",)
    search_fields = ("subject_id", "benchmark", "reason")
    date_hierarchy = "created"
