from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0066_box_from_a_click"),
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
