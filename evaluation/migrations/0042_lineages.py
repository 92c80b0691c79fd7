"""Lineages: the runs of one training, each at a step. No row of an earlier release changes."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0032_remote_endpoints"),
        ("evaluation", "0041_plan_diagnostics"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="step",
            field=models.PositiveBigIntegerField(
                blank=True, help_text="Of the training. None without a lineage.", null=True
            ),
        ),
        migrations.CreateModel(
            name="Lineage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("base_model", models.CharField(blank=True, default="", max_length=200)),
                ("data", models.TextField(blank=True, default="", help_text="What the model was trained on.")),
                ("reward_scheme", models.TextField(blank=True, default="")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="lineages", to="annotation.benchmark"
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["benchmark", "name"],
            },
        ),
        migrations.AddField(
            model_name="run",
            name="lineage",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="runs",
                to="evaluation.lineage",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                condition=models.Q(("staged_for", None)),
                fields=("lineage", "setting", "step"),
                name="run_once_per_step",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("lineage__isnull", True), ("step__isnull", True)),
                    models.Q(("lineage__isnull", False), ("step__isnull", False)),
                    _connector="OR",
                ),
                name="run_has_lineage_and_step",
            ),
        ),
        migrations.AddConstraint(
            model_name="lineage",
            constraint=models.UniqueConstraint(fields=("benchmark", "name"), name="lineage_once"),
        ),
    ]
