"""Accepting one annotation closes the others, which waited for a review that never came. Queues in use stay as they are."""

from django.db import migrations, models


def close(apps, schema_editor):
    waiting = apps.get_model("annotation", "Annotation").objects.filter(state__in=["submitted", "in_review"])
    waiting.filter(sample__state="accepted").update(state="superseded")
    apps.get_model("annotation", "BenchmarkQueue").objects.filter(overlap__gt=1).update(overlap_mode="independent")


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0033_kinds_of_annotations"),
    ]

    operations = [
        migrations.AlterField(
            model_name="annotation",
            name="state",
            field=models.CharField(
                choices=[
                    ("draft", "draft"),
                    ("submitted", "submitted"),
                    ("in_review", "in_review"),
                    ("accepted", "accepted"),
                    ("returned", "returned"),
                    ("discarded", "discarded"),
                    ("superseded", "superseded"),
                ],
                default="draft",
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="sample",
            name="state",
            field=models.CharField(
                choices=[
                    ("to_do", "to_do"),
                    ("draft", "draft"),
                    ("in_review", "in_review"),
                    ("disputed", "disputed"),
                    ("returned", "returned"),
                    ("accepted", "accepted"),
                    ("discarded", "discarded"),
                ],
                default="to_do",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="benchmarkqueue",
            name="overlap_mode",
            field=models.CharField(
                choices=[("shared", "the question of the first"), ("independent", "each their own question")],
                db_default="shared",
                default="shared",
                max_length=11,
            ),
        ),
        migrations.RunPython(close, migrations.RunPython.noop),
    ]
