from django.contrib import admin
from django.http import HttpRequest

from webapp.notifications.models import Notification, NotificationSetting, TimeZone


class ReadOnly(admin.ModelAdmin):
    """To be read: people change their own."""

    list_select_related = ("person",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Notification)
class NotificationAdmin(ReadOnly):
    list_display = ("person", "kind", "benchmark", "subject", "count", "changed_at", "read_at", "mailed_at")
    list_filter = ("kind",)
    search_fields = ("benchmark", "subject")


@admin.register(NotificationSetting)
class NotificationSettingAdmin(ReadOnly):
    list_display = ("person", "kind", "channel")
    list_filter = ("kind", "channel")


@admin.register(TimeZone)
class TimeZoneAdmin(ReadOnly):
    list_display = ("person", "name")
