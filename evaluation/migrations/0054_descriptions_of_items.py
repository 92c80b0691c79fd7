from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0053_images_of_trajectories"),
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
                    ("audit", "Audit"),
                    ("render", "Render"),
                    ("describe", "Describe"),
                    ("evidence", "Evidence"),
                ],
                default="run",
                max_length=8,
            ),
        ),
    ]
