"""A benchmark has an identity that its portable files carry, and an uploaded file can update a benchmark."""

import uuid

from django.db import migrations, models


def give(apps, schema_editor):
    benchmarks = apps.get_model("annotation", "Benchmark")
    for pk in benchmarks.objects.values_list("pk", flat=True):
        benchmarks.objects.filter(pk=pk).update(uid=uuid.uuid4())


class Migration(migrations.Migration):
    dependencies = [("annotation", "0063_portable_uploads")]

    operations = [
        migrations.AddField(
            model_name="benchmark",
            name="uid",
            field=models.UUIDField(null=True, default=None, editable=False),
        ),
        migrations.RunPython(give, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="benchmark",
            name="uid",
            field=models.UUIDField(
                default=uuid.uuid4,
                editable=False,
                help_text="The same on every server that has this benchmark from a file.",
            ),
        ),
        migrations.AddField(
            model_name="portableupload",
            name="updates",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="portableupload",
            name="choices",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
    ]
