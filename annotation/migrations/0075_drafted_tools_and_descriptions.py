import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0074_facets_change_by_rows"),
    ]

    operations = [
        migrations.AddField(
            model_name="builditem",
            name="draft",
            field=models.JSONField(
                blank=True,
                editable=False,
                help_text='{"version", "text", "model", "prompt"} of the description that a model drafted for this version of the item; "prompt": SHA-256 of its text.',
                null=True,
            ),
        ),
        migrations.CreateModel(
            name="DraftedName",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "field",
                    models.CharField(choices=[("targets", "targets"), ("distractors", "distractors")], max_length=12),
                ),
                ("source", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.AddField(
            model_name="banktool",
            name="drafted",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Only models named it, and no lead accepted it: no annotator sees it.",
            ),
        ),
        migrations.AddConstraint(
            model_name="banktool",
            constraint=models.CheckConstraint(
                condition=models.Q(("drafted", False), ("state__in", ["proposed", "refused"]), _connector="OR"),
                name="tool_drafted_until_accepted",
            ),
        ),
        migrations.AddField(
            model_name="draftedname",
            name="name",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="drafts", to="annotation.toolname"
            ),
        ),
        migrations.AddField(
            model_name="draftedname",
            name="sample",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="annotation.sample"
            ),
        ),
        migrations.AddConstraint(
            model_name="draftedname",
            constraint=models.UniqueConstraint(fields=("name", "sample", "field", "source"), name="drafted_name_once"),
        ),
    ]
