"""Scores say what undecided answers leave open, and how many answers are unread. Scores made before are made again: they
are stale."""

from django.db import migrations, models


def mark_stale(apps, schema_editor):
    apps.get_model("evaluation", "Scoring").objects.update(stale=True)


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0023_people_decide_answers"),
    ]

    operations = [
        migrations.AddField(
            model_name="comparison",
            name="accuracy_a_high",
            field=models.FloatField(help_text="The most that undecided answers allow.", null=True),
        ),
        migrations.AddField(
            model_name="comparison",
            name="accuracy_a_low",
            field=models.FloatField(help_text="The least that undecided answers allow.", null=True),
        ),
        migrations.AddField(
            model_name="comparison",
            name="accuracy_b_high",
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name="comparison",
            name="accuracy_b_low",
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name="scoring",
            name="answers_n",
            field=models.PositiveIntegerField(default=0, help_text="Answers given to questions with a gold answer."),
        ),
        migrations.AddField(
            model_name="scoring",
            name="provisional",
            field=models.BooleanField(default=False, help_text="Too many answers are unread: no rank."),
        ),
        migrations.AddField(
            model_name="scoring",
            name="unread_n",
            field=models.PositiveIntegerField(default=0, help_text="Of these, those in which no option could be read."),
        ),
        migrations.RunPython(mark_stale, migrations.RunPython.noop),
    ]
