"""Versions of prompts that people write. No row of an earlier release changes."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0032_remote_endpoints"),
        ("evaluation", "0037_arms_and_judges"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Prompt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "slug",
                    models.CharField(
                        max_length=60,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9][a-z0-9-]*$",
                                "Use lowercase letters, digits and hyphens. Start with a letter or digit.",
                            )
                        ],
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1)),
                ("role", models.CharField(max_length=16)),
                ("text", models.TextField()),
                ("digest", models.CharField(max_length=64)),
                ("frozen", models.BooleanField(default=False)),
                (
                    "note",
                    models.CharField(blank=True, default="", help_text="Changes in this version.", max_length=300),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "benchmark",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="prompts",
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
                "ordering": ["slug", "version"],
                "constraints": [
                    models.UniqueConstraint(fields=("benchmark", "slug", "version"), name="prompt_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("benchmark", None)), fields=("slug", "version"), name="site_prompt_once"
                    ),
                ],
            },
        ),
    ]
