"""Notes and shared tags are for members; a lead may show them to visitors of a public benchmark."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0024_gold_checks_close_a_benchmark")]

    operations = [
        migrations.AddField(
            model_name="benchmark",
            name="marks_open",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Visitors see notes, shared tags and who wrote them."
            ),
        ),
    ]
