from importlib import import_module

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = __name__.rpartition(".")[0]
    verbose_name = "Annotation"

    def ready(self) -> None:
        import_module("annotation.tasks")
        import_module("annotation.actions.invite")
        import_module("annotation.actions.leave")
        import_module("annotation.actions.suggest_predictions")
        keys = import_module("annotation.views.studio_keys")
        for table in (keys.STUDIO, keys.REVIEW):
            import_module("webapp.accounts.keys").add_keys(table)
