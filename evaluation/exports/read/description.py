"""The description of a benchmark by the numbers of docs/metrics.md#benchmark-statistics: for the command, the page and
the API.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from annotation.models import Benchmark, Sample
from evaluation.metrics.describe import describe
from evaluation.scoring.load.columns import load_samples


def describe_benchmark(benchmark: Benchmark) -> dict[str, Any]:
    """``describe_benchmark --format json`` of FORMATS N as one object."""
    numbers = asdict(describe(load_samples(benchmark).columns))
    by = numbers.pop("by")
    with_image = Sample.objects.filter(benchmark=benchmark, gold__isnull=False, image__isnull=False).count()
    return {"samples": numbers.pop("samples"), "with_image": with_image, **numbers, "by": by}
