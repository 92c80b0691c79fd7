"""The number of rows of each export, for the export page."""

from __future__ import annotations

from annotation.models import Benchmark
from evaluation.models import Comparison, Metric, Rollout, Run
from evaluation.store.files import paths_of
from evaluation.store.measures import count_measured


def count_exports(benchmark: Benchmark) -> dict[str, int]:
    """Rows of each of ``EXPORTS``."""
    return {
        "metrics": Metric.objects.of(benchmark).count(),
        "samples": count_measured(paths_of(Run.objects.of(benchmark))),
        "comparisons": Comparison.objects.filter(a__run__benchmark=benchmark).count(),
        "rewards": Rollout.objects.filter(group__benchmark=benchmark).count(),
    }
