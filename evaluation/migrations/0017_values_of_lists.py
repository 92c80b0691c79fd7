"""Which trajectories of a scored run have one value of a field; runs scored before have it after the next scoring."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0016_among_the_first_three")]

    operations = [
        migrations.CreateModel(
            name="ListValue",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("field", models.CharField(max_length=20)),
                ("value", models.CharField(max_length=200)),
                ("kind", models.CharField(max_length=4)),
                ("rows", models.BinaryField()),
                (
                    "scoring",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="list_values",
                        to="evaluation.scoring",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("scoring", "field", "value"), name="list_value_once"),
                ],
            },
        ),
    ]
