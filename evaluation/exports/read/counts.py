"""The number of rows of each export, for the export page."""

from __future__ import annotations

from annotation.models import Benchmark
from annotation.workflow import ExportStates, SampleState
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


def count_samples(benchmark: Benchmark, states: ExportStates) -> int:
    """The samples that a file of the benchmark holds."""
    return benchmark.samples.in_export(states).count()


def count_reopened(benchmark: Benchmark) -> int:
    """Samples that have gold but are not accepted now, because they were opened again."""
    return benchmark.samples.filter(gold__isnull=False).exclude(state=SampleState.ACCEPTED).count()
