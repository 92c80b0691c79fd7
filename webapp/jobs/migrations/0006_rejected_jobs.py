"""A job whose file or request can't be used is rejected, and no longer counts as failed."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0005_values_of_titles")]

    operations = [
        migrations.AlterField(
            model_name="job",
            name="state",
            field=models.CharField(
                choices=[
                    ("queued", "Waiting"),
                    ("running", "Running"),
                    ("done", "Done"),
                    ("failed", "Failed"),
                    ("rejected", "Rejected"),
                    ("cancelled", "Stopped"),
                ],
                default="queued",
                max_length=10,
            ),
        ),
    ]
