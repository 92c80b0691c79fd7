"""Scores that call an answer wrong or undecided where nothing says what is right are made again: they are stale."""

from django.db import migrations
from django.db.models import Q


def mark_stale(apps, schema_editor):
    said = Q(correct__isnull=False) | Q(undecided=True)
    found = apps.get_model("evaluation", "Score").objects.filter(
        said, trajectory__judge_correct=None, trajectory__sample__gold__revision__answers=[]
    )
    scorings = apps.get_model("evaluation", "Scoring").objects
    scorings.filter(pk__in=found.order_by().values("scoring").distinct()).update(stale=True)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0018_orders_without_joins"),
        ("evaluation", "0013_staged_runs"),
    ]

    operations = [migrations.RunPython(mark_stale, migrations.RunPython.noop)]
