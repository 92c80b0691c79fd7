"""Sessions of agents and detectors are experiments, too."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0042_lineages"),
    ]

    operations = [
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
                ],
                default="run",
                max_length=8,
            ),
        ),
    ]
