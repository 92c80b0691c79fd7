"""Checks of texts of the building board by models, and generated images."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0060_planted_errors"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="builddecision",
            name="model",
            field=models.CharField(blank=True, default="", help_text="The model that decided.", max_length=200),
        ),
        migrations.AddField(
            model_name="builditem",
            name="rendered",
            field=models.JSONField(
                blank=True,
                help_text='{"model", "prompt", "seed"} of a generated image; "prompt": SHA-256 of its text. Null: uploaded.',
                null=True,
            ),
        ),
        migrations.CreateModel(
            name="AuditBatch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("model", models.CharField(max_length=200)),
                ("prompt", models.CharField(max_length=64)),
                ("seed", models.CharField(max_length=32)),
                ("share", models.FloatField()),
                (
                    "state",
                    models.CharField(
                        choices=[("asking", "asking"), ("drawn", "drawn"), ("passed", "passed"), ("people", "people")],
                        default="asking",
                        max_length=6,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="audit_batches",
                        to="annotation.benchmark",
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
                "verbose_name_plural": "audit batches",
                "ordering": ["benchmark_id", "pk"],
            },
        ),
        migrations.CreateModel(
            name="ItemAudit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField(help_text="Of the item as the model read it.")),
                ("findings", models.JSONField(help_text='[{"tool", "essential", "consistent"}]')),
                ("valid_sequence", models.BooleanField()),
                ("note", models.TextField(blank=True, default="")),
                ("agrees", models.BooleanField(blank=True, null=True)),
                ("drawn", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="audits", to="annotation.auditbatch"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="audits", to="annotation.builditem"
                    ),
                ),
            ],
            options={
                "ordering": ["batch_id", "pk"],
            },
        ),
        migrations.AddConstraint(
            model_name="auditbatch",
            constraint=models.CheckConstraint(
                condition=models.Q(("share__gte", 0.1), ("share__lte", 1)), name="audit_share_in_range"
            ),
        ),
        migrations.AddConstraint(
            model_name="itemaudit",
            constraint=models.UniqueConstraint(fields=("batch", "item"), name="item_audit_once"),
        ),
    ]
