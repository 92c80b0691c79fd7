from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0004_parts_of_jobs"),
    ]

    operations = [
        migrations.AddField(
            model_name="job",
            name="values",
            field=models.JSONField(
                db_default={},
                default=dict,
                help_text="What the title of its kind names, so that pages can translate it.",
            ),
        ),
        migrations.AlterField(
            model_name="job",
            name="title",
            field=models.CharField(help_text="In English, for the API, logs and search.", max_length=200),
        ),
    ]
