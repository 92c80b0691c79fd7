"""The runs in the trash of a benchmark."""

from __future__ import annotations

from annotation.models import Benchmark
from evaluation.models import Run
from evaluation.models.querysets.runs import RunQuerySet


def deleted_runs(benchmark: Benchmark) -> RunQuerySet:
    """The deleted runs that can be restored, the last deleted first. One query."""
    rows: RunQuerySet = Run.everything.filter(benchmark=benchmark)
    return rows.in_trash().select_related("benchmark", "model", "deleted_by")
