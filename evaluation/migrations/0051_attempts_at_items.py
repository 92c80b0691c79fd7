"""Attempts at items of the building board."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0061_text_checks_by_models"),
        ("evaluation", "0049_experiments_under_conditions"),
    ]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="item",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="attempts",
                to="annotation.builditem",
            ),
        ),
        migrations.AlterField(
            model_name="attempt",
            name="sample",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="attempts", to="annotation.sample"
            ),
        ),
        migrations.AlterField(
            model_name="experiment",
            name="kind",
            field=models.CharField(
                choices=[
                    ("run", "Run"),
                    ("arms", "Arms"),
                    ("judge", "Judge"),
                    ("human", "Human"),
                    ("session", "Session"),
                    ("detect", "Detect"),
                    ("draft", "Draft"),
                    ("audit", "Audit"),
                    ("render", "Render"),
                    ("evidence", "Evidence"),
                ],
                default="run",
                max_length=8,
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.UniqueConstraint(fields=("experiment", "item"), name="attempt_at_item_once"),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("item__isnull", True), ("sample__isnull", False)),
                    models.Q(("item__isnull", False), ("sample__isnull", True)),
                    _connector="OR",
                ),
                name="attempt_at_sample_or_item",
            ),
        ),
    ]
