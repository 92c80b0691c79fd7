"""The metric settings of a benchmark: read with defaults, changed by name, checked before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from annotation.common.access import require
from annotation.models import Benchmark
from annotation.workflow import Right
from evaluation.metrics.settings import MetricSettings
from evaluation.models import BenchmarkSettings
from evaluation.scoring.stale import mark_stale
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput


def settings_of(benchmark: Benchmark) -> MetricSettings:
    """The settings the benchmark is scored with: docs/metrics.md#settings's defaults but for what was changed."""
    return settings_by_benchmark([benchmark])[benchmark.pk]


def settings_by_benchmark(benchmarks: Sequence[Benchmark]) -> dict[int, MetricSettings]:
    """The same of each of these. One query."""
    rows = BenchmarkSettings.objects.filter(benchmark__in=benchmarks).values_list("benchmark", "values")
    changed = dict(rows)
    return {one.pk: MetricSettings.from_mapping(changed.get(one.pk, {})) for one in benchmarks}


def settings_with(benchmark: Benchmark, values: Mapping[str, Any]) -> MetricSettings:
    """The settings of the benchmark with some changed; nothing is stored. Raises ``InvalidInput``."""
    try:
        return MetricSettings.from_mapping({**settings_of(benchmark).changed(), **values})
    except ValueError as error:
        raise InvalidInput(str(error), field="settings") from error


def change_settings(*, actor: User | None, benchmark: Benchmark, values: Mapping[str, Any]) -> MetricSettings:
    """Change some settings, keep the others; every run scored otherwise becomes stale. Raises ``InvalidInput``.

    It changes every number of the benchmark for everybody, so it is the lead's: who may score computes them again.
    """
    require(actor, benchmark, Right.MANAGE)
    before, after = settings_of(benchmark), settings_with(benchmark, values)
    if after != before:
        with transaction.atomic():
            BenchmarkSettings.objects.update_or_create(benchmark=benchmark, defaults={"values": after.changed()})
            mark_stale(benchmark)
            audit.record(
                actor=actor, action="settings.change", subject=benchmark, benchmark=benchmark.slug,
                data={"before": before.changed(), "after": after.changed()},
            )  # fmt: skip
    return after
