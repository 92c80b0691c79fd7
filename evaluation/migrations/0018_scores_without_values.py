"""Scores made before values and repeated rollouts were kept with them are made again: they are stale."""

from django.db import migrations


def mark_stale(apps, schema_editor):
    apps.get_model("evaluation", "Scoring").objects.update(stale=True)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0017_values_of_lists")]

    operations = [migrations.RunPython(mark_stale, migrations.RunPython.noop)]
