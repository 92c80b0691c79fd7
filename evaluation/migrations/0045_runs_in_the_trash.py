"""Runs can be in the trash. No row of an earlier release changes."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

LIVE = models.Q(("deleted_at", None), ("staged_for", None))


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0044_drafting_experiments"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="deleted_at",
            field=models.DateTimeField(blank=True, help_text="When it was put in the trash.", null=True),
        ),
        migrations.AddField(
            model_name="run",
            name="purging",
            field=models.BooleanField(
                db_default=False, default=False, help_text="A job deletes it permanently. It can't be restored."
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="deleted_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RemoveConstraint(model_name="run", name="run_once_per_setting"),
        migrations.RemoveConstraint(model_name="run", name="run_once_per_step"),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                condition=LIVE, fields=("benchmark", "model", "setting"), name="run_once_per_setting"
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                condition=LIVE, fields=("lineage", "setting", "step"), name="run_once_per_step"
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("staged_for", None), ("deleted_at", None), _connector="OR"),
                name="run_staged_or_deleted",
            ),
        ),
    ]
