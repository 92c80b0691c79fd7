"""The consent of a lead that images leave the server. No benchmark has it until its lead gives it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0031_changes_of_one_sample"),
    ]

    operations = [
        migrations.AddField(
            model_name="benchmark",
            name="remote_allowed",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Experiments may send images to endpoints on other servers.",
            ),
        ),
    ]
