import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0003_plain_labels"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="job",
            name="job_running_has_lease",
        ),
        migrations.AddField(
            model_name="job",
            name="parent",
            field=models.ForeignKey(
                blank=True,
                help_text="The job that it is a part of.",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="parts",
                to="jobs.job",
            ),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "running"), _negated=True),
                    ("lease_until__isnull", False),
                    ("worker", ""),
                    _connector="OR",
                ),
                name="job_running_has_lease",
            ),
        ),
    ]
