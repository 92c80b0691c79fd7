"""Drafts of samples come from experiments, too."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0043_kinds_of_experiments"),
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
                    ("draft", "Draft"),
                ],
                default="run",
                max_length=8,
            ),
        ),
    ]
