"""Boxes of models that annotators may adopt: whether a benchmark shows them, and which box was adopted from whom."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0009_queue_settings_and_pauses")]

    operations = [
        migrations.AddField(
            model_name="benchmarkqueue",
            name="suggests",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether annotators see boxes of models, to adopt or pass by.",
            ),
        ),
        migrations.AddField(
            model_name="goldbox",
            name="source",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="Whose suggestion the box was adopted from; drawn: none.",
            ),
        ),
    ]
