"""How many rows each export has, for the page that offers them."""

from __future__ import annotations

from annotation.models import Benchmark
from evaluation.models import Comparison, Metric, Rollout, Score


def count_exports(benchmark: Benchmark) -> dict[str, int]:
    """Rows of each of ``EXPORTS``, the samples that files of the benchmark hold, and those of them with gold."""
    return {
        "metrics": Metric.objects.of(benchmark).count(),
        "samples": Score.objects.filter(scoring__run__benchmark=benchmark, trajectory__condition="none").count(),
        "comparisons": Comparison.objects.filter(a__run__benchmark=benchmark).count(),
        "rewards": Rollout.objects.filter(group__benchmark=benchmark).count(),
        "benchmark": benchmark.samples.count(),
        "gold": benchmark.samples.filter(gold__isnull=False).count(),
    }
