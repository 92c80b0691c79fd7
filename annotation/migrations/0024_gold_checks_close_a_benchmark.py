"""A benchmark with running gold checks is not public: it is closed here, with an entry in the audit log."""

from __future__ import annotations

from typing import Any

from django.db import migrations
from django.db.models import Q

REASON = "Gold checks run. Annotators could look up their gold on a public benchmark."


def close(apps: Any, schema_editor: Any) -> None:
    benchmarks = apps.get_model("annotation", "Benchmark").objects
    running = Q(quality__check_first__gt=0) | Q(quality__check_share__gt=0)
    entries = apps.get_model("common", "AuditEntry").objects
    for benchmark in benchmarks.filter(running, public=True):
        benchmarks.filter(pk=benchmark.pk).update(public=False)
        entries.create(
            actor=None, action="benchmark.public", subject_type="annotation.benchmark", subject_id=str(benchmark.pk),
            benchmark=benchmark.slug, before="True", after="False", reason=REASON,
        )  # fmt: skip


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0023_each_person_verifies_a_chain"),
        ("common", "0001_initial"),
    ]

    operations = [migrations.RunPython(close, migrations.RunPython.noop)]
