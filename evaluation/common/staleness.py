"""Messages of pages about stale or unreadable scores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evaluation.models import Run
from evaluation.scoring.freshness import StalenessChecker
from evaluation.scoring.queue import scoring_under_way
from evaluation.store.files import scores_are_lost


def staleness(benchmark: Any, runs: Iterable[Run], number: int | None = None) -> dict[str, Any]:
    """Context of template evaluation/common/_stale.html: the runs whose scores must be computed again, and the job that
    does it. Two or three queries, one less with the change ``number`` of the benchmark, one more where
    there are any."""
    fresh = StalenessChecker(benchmark, numbers=None if number is None else {benchmark.pk: number})
    scored = [run for run in runs if hasattr(run, "scoring")]
    stale = [run for run in scored if fresh.stale(run.scoring) or scores_are_lost(run)]
    return {"stale": stale, "scoring_job": scoring_under_way(benchmark) if stale else None}
