from django.db import migrations, models


def gold_chain(apps, schema_editor):
    """Scores that stand were held against the one chain there was, the gold's."""
    apps.get_model("evaluation", "Score").objects.filter(reference_calls__isnull=False).update(reference_chain=0)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0008_mappings_of_columns")]

    operations = [
        migrations.AddField(
            model_name="score",
            name="reference_chain",
            field=models.IntegerField(
                help_text="The accepted chain it is held against: 0 the gold's, then further ones in their order.",
                null=True,
            ),
        ),
        migrations.RunPython(gold_chain, migrations.RunPython.noop),
    ]
