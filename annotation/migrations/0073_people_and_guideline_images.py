"""A portable file says of each person whether their address is verified; guidelines have uploaded images."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0072_facets_of_versions"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(model_name="personuid", name="verified", field=models.BooleanField(blank=True, null=True)),
        migrations.CreateModel(
            name="GuidelineImage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uploaded_at", models.DateTimeField(auto_now_add=True)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="guideline_images",
                        to="annotation.benchmark",
                    ),
                ),
                (
                    "image",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="guideline_images",
                        to="annotation.image",
                    ),
                ),
                (
                    "uploaded_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["benchmark_id", "-uploaded_at", "-pk"],
                "constraints": [models.UniqueConstraint(fields=("benchmark", "image"), name="guideline_image_once")],
            },
        ),
    ]
