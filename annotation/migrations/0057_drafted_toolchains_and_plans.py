"""Drafted toolchains and tool plans, and the model whose draft a call was adopted from."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0055_shapes_of_evidence"),
    ]

    operations = [
        migrations.AddField(
            model_name="referencecall",
            name="source",
            field=models.TextField(
                blank=True,
                help_text="The model whose draft the call was adopted from; null: a person's own.",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="proposal",
            name="field",
            field=models.CharField(
                choices=[
                    ("question", "question"),
                    ("options", "options"),
                    ("answer", "answer"),
                    ("boxes", "boxes"),
                    ("toolchain", "toolchain"),
                    ("targets", "targets"),
                    ("distractors", "distractors"),
                ],
                max_length=12,
            ),
        ),
    ]
