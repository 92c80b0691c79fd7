"""A benchmark with running gold checks is not public: it is closed here. Its settings say why."""

from __future__ import annotations

from typing import Any

from django.db import migrations
from django.db.models import Q


def close(apps: Any, schema_editor: Any) -> None:
    running = Q(quality__check_first__gt=0) | Q(quality__check_share__gt=0)
    benchmarks = apps.get_model("annotation", "Benchmark").objects
    benchmarks.filter(pk__in=list(benchmarks.filter(running, public=True).values_list("pk", flat=True))).update(
        public=False
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0023_each_person_verifies_a_chain")]

    operations = [migrations.RunPython(close, migrations.RunPython.noop)]
