"""A row that is stored as it stands is recognised by its digest; two indexes go that began as a constraint does.

Null until a row is imported again.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0006_facets_of_what_is_submitted_never_change"),
        ("evaluation", "0003_standings_and_comparisons"),
    ]

    operations = [
        migrations.AddField(
            model_name="trajectory",
            name="row_digest",
            field=models.BinaryField(
                help_text="Of the row as written: the same row again is not even read.", max_length=16, null=True
            ),
        ),
        migrations.AlterField(
            model_name="step",
            name="trajectory",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="steps",
                to="evaluation.trajectory",
            ),
        ),
        migrations.AlterField(
            model_name="trajectory",
            name="run",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="trajectories",
                to="evaluation.run",
            ),
        ),
        migrations.AddIndex(
            model_name="trajectory",
            index=models.Index(fields=["row_digest"], name="trajectory_by_row"),
        ),
    ]
