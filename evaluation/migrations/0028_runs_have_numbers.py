"""Runs keep the number that their letter stands for. Those there are have the letters that they had."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models import Q


def number_all(apps: Any, schema_editor: Any) -> None:
    runs = apps.get_model("evaluation", "Run").objects.filter(staged_for=None)
    last: dict[int, int] = {}
    for pk, benchmark in runs.order_by("pk").values_list("pk", "benchmark_id"):
        last[benchmark] = last.get(benchmark, 0) + 1
        runs.filter(pk=pk).update(number=last[benchmark])
    for benchmark, number in last.items():
        apps.get_model("annotation", "Benchmark").objects.filter(pk=benchmark).update(runs_numbered=number)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0030_numbers_of_runs"),
        ("evaluation", "0027_verdicts_are_of_one_trajectory"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="number",
            field=models.PositiveIntegerField(
                help_text="Of its letter, given once in a benchmark. None while it is staged.", null=True
            ),
        ),
        migrations.RunPython(number_all, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(fields=("benchmark", "number"), name="run_number_once"),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=Q(("staged_for__isnull", False), ("number__isnull", False), _connector="OR"),
                name="run_has_a_number",
            ),
        ),
    ]
