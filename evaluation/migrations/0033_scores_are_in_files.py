"""Scores are read from the file of a run alone. Files of before lack columns, so all runs are to be scored again."""

from __future__ import annotations

from typing import Any

from django.db import migrations


def mark_all_stale(apps: Any, _: Any) -> None:
    apps.get_model("evaluation", "Scoring").objects.update(stale=True)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0032_who_began_a_queue")]

    operations = [
        migrations.RunPython(mark_all_stale, migrations.RunPython.noop),
        migrations.DeleteModel(name="Score"),
    ]
