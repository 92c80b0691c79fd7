"""Priorities of samples."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0045_work_sessions"),
    ]

    operations = [
        migrations.AddField(
            model_name="sample",
            name="priority",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, help_text="0 to 9: those of a higher one are assigned first."
            ),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(
                condition=models.Q(("priority__gt", 0)),
                fields=["benchmark", "-priority", "key"],
                name="sample_by_priority",
            ),
        ),
        migrations.AddConstraint(
            model_name="sample",
            constraint=models.CheckConstraint(
                condition=models.Q(("priority__gte", 0), ("priority__lte", 9)), name="sample_priority_to_nine"
            ),
        ),
    ]
