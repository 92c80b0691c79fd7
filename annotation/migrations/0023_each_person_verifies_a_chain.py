"""Each person who verifies a chain has a mark of their own."""

from __future__ import annotations

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0022_rows_of_import_issues"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="verifiedchain", name="verified_chain_once"),
        migrations.AddConstraint(
            model_name="verifiedchain",
            constraint=models.UniqueConstraint(
                fields=("sample", "digest", "image", "person"), name="verified_chain_once_each"
            ),
        ),
    ]
