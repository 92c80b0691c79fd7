"""The disputes that a reader of the agreement pages can decide."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from annotation.common.access import allowed
from annotation.models import Benchmark, Sample
from annotation.queue.leases import queue_of
from annotation.workflow import Right


def adjudicable(user: Any, benchmark: Benchmark, samples: Collection[int]) -> set[int]:
    """The samples, of these, that wait for a decision which this person can make. At most one query."""
    if not samples or not allowed(user, benchmark, Right.REVIEW):
        return set()
    waiting = Sample.objects.filter(pk__in=samples).to_review_by(user, [queue_of(benchmark)])
    return set(waiting.values_list("pk", flat=True))
