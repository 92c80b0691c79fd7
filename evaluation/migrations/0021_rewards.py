"""Rewards stand beside their rollouts; those of groups imported before come with the next scoring."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0020_judging_items_have_random_names")]

    operations = [
        migrations.AddField(
            "rolloutgroup",
            "reward_settings",
            models.JSONField(blank=True, help_text="The settings that the rewards were computed with.", null=True),
        ),
        migrations.AddField("rollout", "reward_sufficiency", models.FloatField(null=True)),
        migrations.AddField("rollout", "reward_minimality", models.FloatField(null=True)),
        migrations.AddField("rollout", "reward_final", models.FloatField(null=True)),
    ]
