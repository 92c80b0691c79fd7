"""The trash of a benchmark."""

from __future__ import annotations

from collections.abc import Iterable

from annotation.models import Benchmark, Sample, VersionEntry
from annotation.models.querysets.samples import SampleQuerySet
from evaluation.models import Run
from evaluation.models.querysets.runs import RunQuerySet


def deleted_runs(benchmark: Benchmark) -> RunQuerySet:
    """The deleted runs that can be restored, the last deleted first. One query."""
    rows: RunQuerySet = Run.everything.filter(benchmark=benchmark)
    return rows.in_trash().select_related("benchmark", "model", "deleted_by")


def removed_samples(benchmark: Benchmark) -> SampleQuerySet:
    """The deleted and withdrawn samples that can be restored, the last removed first. One query."""
    rows: SampleQuerySet = Sample.everything.filter(removed_from=benchmark, purging=False)
    return rows.select_related("deleted_by").order_by("-deleted_at", "-pk")


def in_versions(samples: Iterable[Sample]) -> set[int]:
    """Which of these samples are in a frozen version. One query."""
    entries = VersionEntry.objects.filter(sample__in=[sample.pk for sample in samples])
    return set(entries.order_by().values_list("sample", flat=True))
