"""Scores say what decided each answer, beside the verdicts of the file and of reading alone. Scores made before are made
again: they are stale."""

from django.db import migrations, models


def mark_stale(apps, schema_editor):
    apps.get_model("evaluation", "Scoring").objects.update(stale=True)


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0025_readings"),
    ]

    operations = [
        migrations.AddField(
            model_name="score",
            name="file_verdict",
            field=models.BooleanField(help_text="What the imported file says of the answer.", null=True),
        ),
        migrations.AddField(
            model_name="score",
            name="reading_correct",
            field=models.BooleanField(help_text="The verdict of reading the answer alone.", null=True),
        ),
        migrations.AddField(
            model_name="score",
            name="verdict_by",
            field=models.SmallIntegerField(
                db_default=0, default=0, help_text="What decided the answer: see evaluation.metrics.columns.VerdictBy."
            ),
        ),
        migrations.RunPython(mark_stale, migrations.RunPython.noop),
    ]
