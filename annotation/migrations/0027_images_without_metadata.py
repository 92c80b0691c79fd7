"""Benchmarks say whether images are stored without metadata: new ones do."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0026_verified_chains_say_how"),
    ]

    operations = [
        # Benchmarks that are there go on as they did.
        migrations.AddField(
            model_name="benchmark",
            name="remove_metadata",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Images are stored without EXIF, GPS position and other metadata.",
            ),
        ),
        migrations.AlterField(
            model_name="benchmark",
            name="remove_metadata",
            field=models.BooleanField(
                db_default=True,
                default=True,
                help_text="Images are stored without EXIF, GPS position and other metadata.",
            ),
        ),
        migrations.CreateModel(
            name="OriginalFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sha256", models.CharField(max_length=64)),
                ("bytes", models.BigIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "image",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="originals", to="annotation.image"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("sha256", "image"), name="original_file_once")],
            },
        ),
    ]
