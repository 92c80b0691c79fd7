from importlib import import_module

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = __name__.rpartition(".")[0]
    verbose_name = "Evaluation"

    def ready(self) -> None:
        import_module("webapp.common.glossary").add_terms(import_module("evaluation.glossary").TERMS)
        import_module("evaluation.experiments.jobs")
        import_module("evaluation.exports.jobs")
        import_module("evaluation.imports.jobs")
        import_module("evaluation.imports.write.native")
        import_module("evaluation.scoring.jobs")
        import_module("evaluation.judging.write.leave")
        import_module("evaluation.judging.write.take_over")
        import_module("evaluation.samples.read.boxes")
        import_module("evaluation.experiments.read.audit_texts")
        import_module("evaluation.trash.jobs")
        add_tabs = import_module("annotation.common.tabs").add_tabs
        tabs = import_module("evaluation.common.tabs")
        add_tabs(tabs.TABS)
        import_module("annotation.common.sections").add_sections(tabs.SECTIONS)
        mark_stale = import_module("evaluation.scoring.stale").mark_stale
        events = import_module("annotation.content.benchmark_events")
        events.subscribe(mark_stale)
        sent = import_module("evaluation.experiments.write.images")
        import_module("annotation.content.takedown").subscribe_to_takedowns(sent.delete_sent_copies)
        events.subscribe_to_purges(import_module("evaluation.common.saving.batches").delete_unused_models)
