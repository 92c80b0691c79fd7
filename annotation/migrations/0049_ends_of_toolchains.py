"""How the end of a toolchain was verified, and for which answer. Earlier marks name no answer: the end is verified
again."""

from django.db import migrations, models
from django.db.models import F, Value
from django.db.models.functions import Replace


def say_how(apps, schema_editor):
    marks = apps.get_model("annotation", "VerifiedChain").objects
    marks.filter(kind="compared").update(how="measured", observed=Replace(F("answer"), Value("\n"), Value(", ")))


def nothing(apps, schema_editor):
    """``kind`` has its default again."""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0048_image_variants")]

    operations = [
        migrations.AddField(
            model_name="verifiedchain",
            name="answer_digest",
            field=models.CharField(
                blank=True,
                default="",
                help_text="Of answer type, options and answers; empty: not known.",
                max_length=64,
            ),
        ),
        migrations.AddField(
            model_name="verifiedchain",
            name="how",
            field=models.CharField(
                choices=[
                    ("measured", "the last step measured it"),
                    ("blind", "another person answered from the last image"),
                    ("seen", "a person saw it"),
                ],
                default="seen",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="verifiedchain",
            name="observed",
            field=models.TextField(blank=True, default="", help_text="What was measured, or answered."),
        ),
        migrations.AddField(
            model_name="verifiedchain",
            name="matches",
            field=models.BooleanField(default=True, help_text="False: the answer from the last image was another one."),
        ),
        migrations.RunPython(say_how, nothing),
        migrations.RemoveField(model_name="verifiedchain", name="kind"),
    ]
