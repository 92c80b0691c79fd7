from django.contrib import admin
from django.http import HttpRequest

from webapp.jobs.models import Job


@admin.register(Job)
class JobAdmin(admin.ModelAdmin):
    """To be read: jobs are stopped and repeated on the jobs page."""

    list_display = ("title", "kind", "state", "created_by", "created", "started", "finished", "attempts", "worker")
    list_filter = ("state", "kind")
    list_select_related = ("created_by",)
    search_fields = ("id", "title", "benchmark", "key")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False
