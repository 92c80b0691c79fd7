"""Guidelines, and who read them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0035_adjudication"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Guideline",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("body", models.TextField(help_text="Markdown; see annotation.guideline_text.")),
                ("note", models.CharField(blank=True, default="", help_text="What changed.", max_length=300)),
                (
                    "must_read",
                    models.BooleanField(
                        db_default=True,
                        default=True,
                        help_text="People read what changed before they get the next sample.",
                    ),
                ),
                ("published_at", models.DateTimeField(auto_now_add=True)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="guidelines",
                        to="annotation.benchmark",
                    ),
                ),
                (
                    "published_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["benchmark_id", "-number"],
            },
        ),
        migrations.CreateModel(
            name="GuidelineReading",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("read_at", models.DateTimeField(auto_now_add=True)),
                (
                    "guideline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="readings", to="annotation.guideline"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="guideline",
            constraint=models.UniqueConstraint(fields=("benchmark", "number"), name="guideline_number_once"),
        ),
        migrations.AddConstraint(
            model_name="guidelinereading",
            constraint=models.UniqueConstraint(fields=("guideline", "user"), name="guideline_read_once"),
        ),
    ]
