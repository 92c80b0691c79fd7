"""What pages say of scores that are of an earlier state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evaluation.models import Run
from evaluation.scoring.freshness import Freshness
from evaluation.scoring.queue import scoring_under_way


def staleness(benchmark: Any, runs: Iterable[Run], number: int | None = None) -> dict[str, Any]:
    """Context of template evaluation/common/_stale.html: those of the runs whose scores are not of today, and the job
    that makes them again. Two or three queries, one less with the change ``number`` of the benchmark, one more where
    there are any."""
    fresh = Freshness(benchmark, numbers=None if number is None else {benchmark.pk: number})
    stale = [run for run in runs if hasattr(run, "scoring") and fresh.stale(run.scoring)]
    return {"stale": stale, "scoring_job": scoring_under_way(benchmark) if stale else None}
