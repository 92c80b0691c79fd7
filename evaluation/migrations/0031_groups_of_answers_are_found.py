from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0030_tables_are_computed"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="score",
            index=models.Index(fields=["scoring", "answer_group"], name="score_by_answer_group"),
        ),
    ]
