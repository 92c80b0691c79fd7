"""An issue of a file whose records share a line says which record of the list it is about."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0021_facets_are_counted_by_benchmark")]

    operations = [
        migrations.AddField(
            model_name="importissue",
            name="row",
            field=models.CharField(
                blank=True, default="", help_text="Its number in a list: 17, 17 of samples.", max_length=120
            ),
        ),
    ]
