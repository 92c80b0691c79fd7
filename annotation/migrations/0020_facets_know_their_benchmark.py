"""Each facet value names its benchmark, so that the values of one are counted in the order of one index.

Filled here, required and indexed in the next migration: PostgreSQL alters no table with rows waiting for a check.
"""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def name_benchmarks(apps, schema_editor):
    samples = apps.get_model("annotation", "Sample").objects.filter(pk=OuterRef("sample_id"))
    apps.get_model("annotation", "FacetValue").objects.update(
        benchmark_id=Subquery(samples.order_by().values("benchmark_id"))
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0019_chains_of_files_and_versions")]

    operations = [
        migrations.AddField(
            model_name="facetvalue",
            name="benchmark",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="annotation.benchmark",
            ),
        ),
        migrations.RunPython(name_benchmarks, migrations.RunPython.noop),
    ]
