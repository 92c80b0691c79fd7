from importlib import import_module

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    name = "webapp.notifications"
    label = "notifications"
    verbose_name = "Notifications"

    def ready(self) -> None:
        import_module("webapp.notifications.jobs")
        import_module("webapp.notifications.write")
