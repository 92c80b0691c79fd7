"""Scores outside the grounding population are neither grounded nor not; scores say how much all crops cover together.
Scores made before are made again: they are stale. So are effects whose pairs were of two kinds."""

from django.db import migrations, models


def mark_stale(apps, schema_editor):
    apps.get_model("evaluation", "Scoring").objects.update(stale=True)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0018_scores_without_values")]

    operations = [
        migrations.AlterField("score", "grounded", models.BooleanField(null=True)),
        migrations.AddField(
            "score",
            "union_coverage",
            models.FloatField(help_text="Share of the gold region in all usable crops together.", null=True),
        ),
        migrations.RunPython(mark_stale, migrations.RunPython.noop),
    ]
