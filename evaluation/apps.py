from importlib import import_module

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = __name__.rpartition(".")[0]
    verbose_name = "Evaluation"

    def ready(self) -> None:
        import_module("evaluation.tasks")
        import_module("evaluation.actions.leave")
        import_module("evaluation.actions.suggest_boxes")
        add_tabs = import_module("annotation.views.tabs").add_tabs
        tabs = import_module("evaluation.views.tabs")
        add_tabs(tabs.TABS)
        import_module("annotation.views.settings_sections").add_sections(tabs.SECTIONS)
        mark_stale = import_module("evaluation.actions.mark_stale").mark_stale
        import_module("annotation.actions.when_changed").when_facts_change(mark_stale)
