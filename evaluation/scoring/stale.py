"""Marking scores stale after a change elsewhere. They are computed again on request."""

from __future__ import annotations

from annotation.models import Benchmark
from evaluation.models import Scoring


def mark_stale(benchmark: Benchmark) -> None:
    """Mark the scores of all runs of this benchmark as stale. Call inside the transaction of the change."""
    Scoring.objects.filter(run__benchmark=benchmark).mark_stale()
