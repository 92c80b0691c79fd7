from importlib import import_module

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = __name__.rpartition(".")[0]
    verbose_name = "Annotation"

    def ready(self) -> None:
        import_module("webapp.common.glossary").add_terms(import_module("annotation.glossary").TERMS)
        import_module("annotation.benchmarks.jobs")
        import_module("annotation.images.jobs")
        import_module("annotation.content.jobs")
        import_module("annotation.queue.jobs")
        import_module("annotation.exchange.jobs")
        import_module("annotation.planning.jobs")
        import_module("annotation.webhooks.jobs")
        import_module("annotation.variants.jobs")
        import_module("annotation.benchmarks.write.invitations")
        import_module("annotation.benchmarks.write.leave")
        import_module("annotation.benchmarks.write.people")
        import_module("annotation.benchmarks.write.take_over")
        import_module("annotation.studio.read.suggestions")
        keys = import_module("annotation.common.keys")
        for table in (keys.STUDIO, keys.REVIEW, keys.ADJUDICATE):
            import_module("webapp.accounts.keys").add_keys(table)
