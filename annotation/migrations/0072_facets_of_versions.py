"""A version keeps the facets of its samples, which can change without a new revision."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0071_facets_change_without_gold")]

    operations = [
        migrations.AddField(
            model_name="versionentry",
            name="facets",
            field=models.JSONField(help_text="{name: [value]} of the sample. None: not stored.", null=True),
        ),
    ]
