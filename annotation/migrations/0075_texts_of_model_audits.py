from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0064_portable_updates"),
    ]

    operations = [
        migrations.AddField(
            model_name="auditbatch",
            name="steps_text",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AddField(
            model_name="auditbatch",
            name="tools_text",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
    ]
