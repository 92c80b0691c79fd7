"""A run has an identity that portable files carry."""

import uuid

from django.db import migrations, models


def give(apps, schema_editor):
    runs = apps.get_model("evaluation", "Run")
    for pk in runs._base_manager.values_list("pk", flat=True):
        runs._base_manager.filter(pk=pk).update(uid=uuid.uuid4())


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0051_attempts_at_items")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="uid",
            field=models.UUIDField(null=True, default=None, editable=False),
        ),
        migrations.RunPython(give, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="run",
            name="uid",
            field=models.UUIDField(
                default=uuid.uuid4,
                editable=False,
                help_text="The same on every server that has this run from a portable file.",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(fields=["benchmark", "uid"], name="run_uid_once"),
        ),
    ]
