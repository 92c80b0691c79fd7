"""A membership can be of this server only, so that portable files do not carry it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0051_benchmarks_in_the_trash")]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="local",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
    ]
