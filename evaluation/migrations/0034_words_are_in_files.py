"""The words of a run are in a file of the object store. The next scoring writes it; until then texts are read."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0033_scores_are_in_files"),
    ]

    operations = [
        migrations.CreateModel(
            name="WordFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("revision", models.PositiveBigIntegerField()),
                ("digest", models.CharField(help_text="SHA-256 of the file, which is also its name.", max_length=64)),
                ("bytes", models.PositiveBigIntegerField()),
                ("created_at", models.DateTimeField(auto_now=True)),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="words", to="evaluation.run"
                    ),
                ),
            ],
        ),
        migrations.DeleteModel(
            name="WordBlock",
        ),
        migrations.DeleteModel(
            name="WordPart",
        ),
    ]
