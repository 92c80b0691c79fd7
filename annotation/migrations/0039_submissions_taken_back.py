"""How long authors can take a submission back, and until when each can be. Benchmarks in use keep 0 minutes."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0038_unanswerable_questions"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="annotation",
            name="held_until",
            field=models.DateTimeField(
                blank=True,
                help_text="Submitted, and its author can take it back until then; its draft is kept.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="benchmarkqueue",
            name="take_back_minutes",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="How long authors can take a submission back before its review; 0: never.",
            ),
        ),
        migrations.AddField(
            model_name="checkanswer",
            name="held_until",
            field=models.DateTimeField(
                blank=True,
                help_text="Submitted, and can be taken back until then; compared with gold afterwards.",
                null=True,
            ),
        ),
        migrations.AddIndex(
            model_name="annotation",
            index=models.Index(
                condition=models.Q(("held_until__isnull", False)), fields=["held_until"], name="annotation_held"
            ),
        ),
        migrations.AddIndex(
            model_name="checkanswer",
            index=models.Index(
                condition=models.Q(("held_until__isnull", False)), fields=["held_until"], name="check_answer_held"
            ),
        ),
        migrations.AddConstraint(
            model_name="annotation",
            constraint=models.CheckConstraint(
                condition=models.Q(("held_until__isnull", True), ("state", "submitted"), _connector="OR"),
                name="annotation_held_while_submitted",
            ),
        ),
        migrations.AddConstraint(
            model_name="benchmarkqueue",
            constraint=models.CheckConstraint(
                condition=models.Q(("take_back_minutes__lte", 120)), name="queue_take_back_up_to_two_hours"
            ),
        ),
        migrations.AddConstraint(
            model_name="checkanswer",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("held_until__isnull", True),
                    models.Q(("passed__isnull", True), ("state", "handed_in")),
                    _connector="OR",
                ),
                name="check_answer_held_undecided",
            ),
        ),
    ]
