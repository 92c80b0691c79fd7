"""An invitation can turn the row of a person of an imported file into an account."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_squashed_0008_known_devices"),
    ]

    operations = [
        migrations.AddField(
            model_name="invitation",
            name="takes_over",
            field=models.ForeignKey(
                blank=True,
                help_text="The person of an imported file, without access until now, whose row becomes the account.",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
