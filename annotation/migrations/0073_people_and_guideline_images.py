"""A portable file says of each person whether their address is verified."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0072_facets_of_versions")]

    operations = [
        migrations.AddField(model_name="personuid", name="verified", field=models.BooleanField(blank=True, null=True)),
    ]
