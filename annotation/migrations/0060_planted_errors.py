"""Drafts of models can carry a planted error."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0059_answers_under_conditions"),
    ]

    operations = [
        migrations.AddField(
            model_name="proposal",
            name="planted_error",
            field=models.JSONField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="proposal",
            name="withdrawn_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="proposaluse",
            name="adopted",
            field=models.BooleanField(null=True),
        ),
    ]
