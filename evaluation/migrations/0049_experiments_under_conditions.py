"""Experiments ask questions under conditions, too."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0046_no_trajectory_without_a_response"),
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
                    ("evidence", "Evidence"),
                ],
                default="run",
                max_length=8,
            ),
        ),
    ]
