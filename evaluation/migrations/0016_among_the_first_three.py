"""A run's place keeps how often it is among the first three."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0015_tool_lists")]

    operations = [migrations.AddField("standing", "p_top3", models.FloatField(null=True))]
