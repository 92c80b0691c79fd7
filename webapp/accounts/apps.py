from importlib import import_module

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "webapp.accounts"
    label = "accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        import_module("webapp.accounts.openapi")
        import_module("webapp.accounts.security_log")
        import_module("webapp.accounts.sessions")
