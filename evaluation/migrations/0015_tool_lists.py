"""Trajectories joined from two records keep which import brought which of their lists."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0019_chains_of_files_and_versions"),
        ("evaluation", "0014_undefined_answers"),
    ]

    operations = [
        migrations.CreateModel(
            name="ToolList",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(choices=[("recognition", "Recognition"), ("plan", "Plan")], max_length=12)),
                ("extra", models.JSONField(blank=True, default=dict)),
                ("line", models.PositiveBigIntegerField(blank=True, null=True)),
                (
                    "source",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotation.importrecord",
                    ),
                ),
                (
                    "trajectory",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tool_lists",
                        to="evaluation.trajectory",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("trajectory", "name"), name="tool_list_once"),
                    models.CheckConstraint(
                        condition=models.Q(("name__in", ["recognition", "plan"])), name="tool_list_known_name"
                    ),
                ],
            },
        ),
    ]
