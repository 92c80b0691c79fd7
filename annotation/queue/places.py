"""Places in the queue of reviews: "3 of 12 waiting". Gold checks are never in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.common.access import known_to
from annotation.models import Benchmark, BenchmarkQueue, Sample
from annotation.models.querysets.samples import SampleQuerySet
from annotation.queue.leases import queue_of
from webapp.accounts.models import User


@dataclass(frozen=True, slots=True)
class Place:
    """The ``number``-th of ``waiting``."""

    number: int
    waiting: int


def in_order_of_review(samples: SampleQuerySet, queues: Sequence[BenchmarkQueue]) -> SampleQuerySet:
    """Samples that wait for a review in the order in which they are assigned: those of a higher priority first."""
    disputed = any(queue.order == BenchmarkQueue.Order.DISAGREEMENT for queue in queues)
    found = samples.most_disagreement_first() if disputed else samples.order_by("key")
    return found.order_by("-priority", *found.query.order_by)


def places_in_review(benchmark: Benchmark) -> dict[int, Place]:
    """The position of each sample that waits for a review, by its number. One query."""
    queues = [queue_of(benchmark)]
    return _numbered(in_order_of_review(Sample.objects.awaiting_review(queues), queues))


def place_for(reviewer: User, sample: Sample) -> Place | None:
    """Return the position of a sample among those that wait for this reviewer; None if it does not wait, and for a
    person who gets gold checks, because they may not know who works on which sample. Two queries.
    """
    if not known_to(reviewer, sample.benchmark).states:
        return None
    queues = Benchmark.objects.filter(pk=sample.benchmark_id).queues_for(reviewer)
    waiting = in_order_of_review(Sample.objects.to_review_by(reviewer, queues), queues)
    return _numbered(waiting).get(sample.pk)


def _numbered(samples: SampleQuerySet) -> dict[int, Place]:
    numbers = list(samples.values_list("pk", flat=True))
    return {number: Place(place, len(numbers)) for place, number in enumerate(numbers, start=1)}
