"""The time at which facets of a benchmark last changed without its gold: scores of an earlier time are stale."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0070_first_use_of_the_control_share")]

    operations = [
        migrations.AddField(
            model_name="benchmark",
            name="facets_changed_at",
            field=models.DateTimeField(
                editable=False, help_text="When facets of samples last changed without their gold.", null=True
            ),
        ),
    ]
