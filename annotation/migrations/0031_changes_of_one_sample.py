"""A change of one sample alone names it, so that what is derived from the others stays."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0030_numbers_of_runs"),
    ]

    operations = [
        migrations.AddField(
            model_name="contentchange",
            name="sample",
            field=models.PositiveBigIntegerField(null=True),
        ),
    ]
