"""Benchmarks can be in the trash. No row of an earlier release changes."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0050_proposals"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="benchmark",
            name="deleted_at",
            field=models.DateTimeField(blank=True, help_text="When it was put in the trash.", null=True),
        ),
        migrations.AddField(
            model_name="benchmark",
            name="deleted_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="benchmark",
            name="purging",
            field=models.BooleanField(
                db_default=False, default=False, help_text="A job deletes it permanently. It can't be restored."
            ),
        ),
    ]
