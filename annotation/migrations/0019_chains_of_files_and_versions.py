"""A further chain may come from a file, whom nobody accepted here; a version keeps the further chains of its samples."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0018_orders_without_joins"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="acceptedchain",
            name="accepted_by",
            field=models.ForeignKey(
                help_text="None: a file.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="versionentry",
            name="accepted_chains",
            field=models.JSONField(
                help_text="The accepted toolchains besides the gold's: calls, digest and note of each. None: not stored.",
                null=True,
            ),
        ),
    ]
