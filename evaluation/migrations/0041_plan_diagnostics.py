"""Score files have what plans lack and add. Files of before lack these columns, so all runs are to be scored again."""

from __future__ import annotations

from typing import Any

from django.db import migrations


def mark_all_stale(apps: Any, _: Any) -> None:
    apps.get_model("evaluation", "Scoring").objects.update(stale=True)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0040_human_studies")]

    operations = [migrations.RunPython(mark_all_stale, migrations.RunPython.noop)]
