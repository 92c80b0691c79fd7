"""Answers under conditions, which show whether a question needs its evidence, and facets set on many samples."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0057_drafted_toolchains_and_plans"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="FacetBatch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("changes", models.JSONField()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("undone_at", models.DateTimeField(null=True)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="facet_batches",
                        to="annotation.benchmark",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="EvidenceTest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "condition",
                    models.CharField(
                        choices=[
                            ("image", "image"),
                            ("small", "small"),
                            ("masked", "masked"),
                            ("crop", "crop"),
                            ("question", "question"),
                        ],
                        max_length=8,
                    ),
                ),
                ("purpose", models.CharField(choices=[("check", "check"), ("evidence", "evidence")], max_length=8)),
                (
                    "model",
                    models.CharField(
                        blank=True, default="", help_text="The name of the model on pages.", max_length=200
                    ),
                ),
                ("digest", models.CharField(blank=True, default="", max_length=64)),
                ("answer", models.TextField(blank=True)),
                ("right", models.BooleanField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "person",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="evidence_tests",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="evidence_tests",
                        to="annotation.revision",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("revision", "condition", "purpose", "person"), name="evidence_once_per_person"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("person", None)),
                        fields=("revision", "condition", "purpose", "model"),
                        name="evidence_once_per_model",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("model__gt", ""), ("person", None)),
                            models.Q(("model", ""), ("person__isnull", False)),
                            _connector="OR",
                        ),
                        name="evidence_one_answerer",
                    ),
                ],
            },
        ),
    ]
