"""How each answer was read stands beside its score. Scores of before are stale, as their answers were read by other
rules; the columns of lists are built anew from the rows."""

from django.db import migrations, models

CODE = {"db_default": -1, "default": -1}
TEXT = {"blank": True, "db_default": "", "default": ""}


def forget_columns(apps, schema_editor):
    apps.get_model("evaluation", "ListColumn").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0024_ranges_of_undecided_answers")]

    operations = [
        migrations.AddField(
            "score",
            "reading_where",
            models.SmallIntegerField(
                **CODE, help_text="How the answer was read: places in lists of evaluation.metrics.reading."
            ),
        ),
        migrations.AddField("score", "reading_rule", models.SmallIntegerField(**CODE)),
        migrations.AddField("score", "reading_class", models.SmallIntegerField(**CODE)),
        migrations.AddField("score", "unread_reason", models.SmallIntegerField(**CODE)),
        migrations.AddField("score", "reading_flags", models.CharField(**TEXT, max_length=80)),
        migrations.AddField(
            "score",
            "answer_group",
            models.CharField(
                **TEXT,
                help_text="Name of the undecided answers with the same text under the same options.",
                max_length=16,
            ),
        ),
        migrations.AddField(
            "scoring",
            "reading_version",
            models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="Of the rules that read the answers; those of an earlier one are stale.",
            ),
        ),
        migrations.RunPython(forget_columns, migrations.RunPython.noop),
    ]
