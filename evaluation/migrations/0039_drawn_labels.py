"""Labels of people on drawn verdicts of a judge. No row of an earlier release changes."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0038_prompts"),
    ]

    operations = [
        migrations.AddField(
            model_name="judgingitem",
            name="probability",
            field=models.FloatField(blank=True, help_text="Of its draw, in a queue of labels.", null=True),
        ),
        migrations.AddField(
            model_name="judgingqueue",
            name="experiment",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="label_queues",
                to="evaluation.experiment",
            ),
        ),
        migrations.AddField(
            model_name="judgingqueue",
            name="weight",
            field=models.FloatField(blank=True, null=True),
        ),
    ]
