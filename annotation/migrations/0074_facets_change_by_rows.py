"""The time of the last change of facets moves from the benchmark to the rows of its changes.

A row of its own lets an import note the change without waiting for other transactions that have locked the benchmark.
"""

from __future__ import annotations

from django.db import migrations, models


def copy_times(apps, schema_editor):
    benchmarks = apps.get_model("annotation", "Benchmark").objects.exclude(facets_changed_at=None)
    changes = apps.get_model("annotation", "ContentChange").objects
    for pk, at in benchmarks.order_by("pk").values_list("pk", "facets_changed_at"):
        changes.create(benchmark_id=pk, changes=1, facets_at=at)


def copy_back(apps, schema_editor):
    benchmarks = apps.get_model("annotation", "Benchmark").objects
    changes = apps.get_model("annotation", "ContentChange").objects.exclude(facets_at=None)
    latest = changes.order_by().values_list("benchmark").annotate(at=models.Max("facets_at"))
    for pk, at in latest:
        benchmarks.filter(pk=pk).update(facets_changed_at=at)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0073_people_and_guideline_images")]

    operations = [
        migrations.AddField(
            model_name="contentchange",
            name="facets_at",
            field=models.DateTimeField(
                help_text="When facets, image clusters or sizes changed without gold. None: they did not.", null=True
            ),
        ),
        migrations.RunPython(copy_times, copy_back),
        migrations.RemoveField(model_name="benchmark", name="facets_changed_at"),
    ]
