from django.db import migrations


def mark_stale(apps, schema_editor):
    """What the tables about calls and answers are made of is in the file that the next scoring writes."""
    apps.get_model("evaluation", "Scoring").objects.update(stale=True)


class Migration(migrations.Migration):
    """The tables behind the charts of a run's page are made from its score file when they are asked for."""

    dependencies = [("evaluation", "0029_score_files")]

    operations = [
        migrations.DeleteModel("SliceTables"),
        migrations.RemoveField("scoring", "extras"),
        migrations.RunPython(mark_stale, migrations.RunPython.noop, elidable=True),
    ]
