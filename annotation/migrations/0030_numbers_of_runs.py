"""Benchmarks count the numbers that they gave to runs."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0029_skipped_drafts")]

    operations = [
        migrations.AddField(
            model_name="benchmark",
            name="runs_numbered",
            field=models.PositiveIntegerField(
                db_default=0, default=0, help_text="Numbers that runs were given. None is given twice."
            ),
        ),
    ]
