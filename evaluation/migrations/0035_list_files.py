"""The rows of a benchmark with many runs are also in one file. The next scoring writes it; until then there is none."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0030_numbers_of_runs"),
        ("evaluation", "0034_words_are_in_files"),
    ]

    operations = [
        migrations.CreateModel(
            name="ListFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("files", models.JSONField()),
                ("schema", models.PositiveSmallIntegerField()),
                ("engine", models.CharField(max_length=40)),
                ("digest", models.CharField(help_text="SHA-256 of the file, which is also its name.", max_length=64)),
                ("bytes", models.PositiveBigIntegerField()),
                ("created_at", models.DateTimeField(auto_now=True)),
                (
                    "benchmark",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="list_file", to="annotation.benchmark"
                    ),
                ),
            ],
        ),
    ]
