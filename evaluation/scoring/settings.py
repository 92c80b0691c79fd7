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
    """The settings of the benchmark: defaults (docs/metrics.md#settings) and its changes."""
    return settings_by_benchmark([benchmark])[benchmark.pk]


def settings_by_benchmark(benchmarks: Sequence[Benchmark]) -> dict[int, MetricSettings]:
    """The settings of each of these benchmarks. One query."""
    rows = BenchmarkSettings.objects.filter(benchmark__in=benchmarks).values_list("benchmark", "values")
    changed = dict(rows)
    return {one.pk: MetricSettings.from_mapping(changed.get(one.pk, {})) for one in benchmarks}


def settings_with(benchmark: Benchmark, values: Mapping[str, Any]) -> MetricSettings:
    """The settings of the benchmark with some changes, which are not stored. Raises ``InvalidInput``."""
    try:
        return MetricSettings.from_mapping({**settings_of(benchmark).changed(), **values})
    except ValueError as error:
        raise InvalidInput(str(error), field="settings") from error


def change_settings(*, actor: User | None, benchmark: Benchmark, values: Mapping[str, Any]) -> MetricSettings:
    """Change some settings and keep the others. Runs scored with other settings become stale. Raises ``InvalidInput``.

    Only leads can do this, because it changes all numbers of the benchmark for everyone. Everyone with the permission
    to score can then compute them again.
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
