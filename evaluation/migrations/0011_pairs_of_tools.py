from django.db import migrations, models


class Migration(migrations.Migration):
    """The tools that stand beside and behind each other in a trajectory, so that lists can be narrowed by them."""

    dependencies = [("evaluation", "0010_kept_replays")]

    operations = [
        migrations.AddField(
            model_name="score",
            name="aligned",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="Pairs of tools, as evaluation.metrics.chains writes them.",
            ),
        ),
        migrations.AddField(
            model_name="score",
            name="followed",
            field=models.TextField(
                blank=True, db_default="", default="", help_text="The same of one tool and the next."
            ),
        ),
    ]
