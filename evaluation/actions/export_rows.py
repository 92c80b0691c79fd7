"""Rows of METRICS 10 out of the database: metrics, samples, comparisons. The same rows for command, page and API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.models import Benchmark
from evaluation.metrics.catalogue import METRIC_COLUMNS, SAMPLE_COLUMNS
from evaluation.metrics.columns import ChainStatus, Outcome, Quadrant
from evaluation.models import Metric, Score

Row = dict[str, Any]


def metric_rows(benchmark: Benchmark, *, slice_by: str | None = None) -> Iterator[Row]:
    """One row per (run, metric, slice), in a fixed order; ``slice_by`` "" for the whole benchmark only."""
    rows = Metric.objects.of(benchmark).for_export()
    if slice_by is not None:
        rows = rows.filter(slice_by=slice_by)
    yield from rows.values(*METRIC_COLUMNS).iterator(chunk_size=2000)


_RENAMED = {
    "run": "scoring__run_id",
    "model": "scoring__run__model__name",
    "sample": "trajectory__sample__key",
}
_NAMED: dict[str, tuple[tuple[str, ...], int]] = {
    "quadrant": (Quadrant.NAMES, -1),
    "plan_outcome": (Outcome.NAMES, -1),
    "chain_status": (ChainStatus.NAMES, -1),
}


def sample_rows(benchmark: Benchmark) -> Iterator[Row]:
    """One row per trajectory without an intervention, ordered by model, setting and sample."""
    fields = [_RENAMED.get(name, name) for name in SAMPLE_COLUMNS]
    rows = (
        Score.objects.filter(scoring__run__benchmark=benchmark, trajectory__condition="none")
        .order_by(
            "scoring__run__model__name", "scoring__run__setting", "trajectory__sample__key", "trajectory__rollout"
        )
        .values_list(*fields)
    )
    for values in rows.iterator(chunk_size=2000):
        row = dict(zip(SAMPLE_COLUMNS, values, strict=True))
        for name, (words, none) in _NAMED.items():
            code = row[name]
            row[name] = None if code is None or code == none else words[code]
        yield row
