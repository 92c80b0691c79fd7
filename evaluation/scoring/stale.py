"""What a change elsewhere means for scores: they are of yesterday, and are computed again when somebody asks."""

from __future__ import annotations

from annotation.models import Benchmark
from evaluation.models import Scoring


def mark_stale(benchmark: Benchmark) -> None:
    """The scores of all runs of this benchmark are to be computed again. Call inside the transaction of the change."""
    Scoring.objects.filter(run__benchmark=benchmark).update(stale=True)
