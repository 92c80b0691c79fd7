"""Likeness and groups in tool plans, and matched pairs of items of the building board."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0061_text_checks_by_models"),
    ]

    operations = [
        migrations.AddField(
            model_name="plantool",
            name="either",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="plantool",
            name="likeness",
            field=models.CharField(
                blank=True,
                choices=[("visual", "visual"), ("functional", "functional"), ("domain", "domain")],
                default="",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="builditem",
            name="pair_of",
            field=models.ForeignKey(
                blank=True,
                help_text="The item that it repeats with another image.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="pairs",
                to="annotation.builditem",
            ),
        ),
        migrations.AddField(
            model_name="builditem",
            name="real",
            field=models.BooleanField(default=False, help_text="The image is a photograph of a real scene."),
        ),
    ]
