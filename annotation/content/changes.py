"""Change numbers: one number for each benchmark that changes with its samples, facets or gold.

Caches of derived data use this number. It needs no count and no clock, and other benchmarks do not affect it. Each
change adds a row, so that two transactions never wait for each other; a sweep folds rows into one. The increment is
random, so that different changes after a restored backup do not lead to earlier numbers.
"""

from __future__ import annotations

from secrets import randbits

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from annotation.models import ContentChange

STEP_BITS = 40
"""A change raises the number by up to this many bits: a million changes fit into the column."""
MOST_ROWS = 100
"""More rows of one benchmark are folded into one."""


def content_changed(benchmark: int, sample: int | None = None) -> None:
    """Increase the change number of a benchmark after a change of samples, facets or gold.

    Call inside the transaction of the change, so that both become visible together. ``sample``: the sample, if only its
    gold or facets changed.
    """
    ContentChange.objects.create(benchmark_id=benchmark, changes=1 + randbits(STEP_BITS), sample=sample)


def facets_changed(benchmark: int, sample: int | None = None) -> None:
    """Increase the change number after a change of facets, or of image clusters or sizes, without a change of gold, and
    note its time. Scores of an earlier time are stale: their means by facet and their intervals can differ. Every
    change of facets that sets no gold at the same time calls it, inside its transaction. ``sample``: as above.
    """
    changes = 1 + randbits(STEP_BITS)
    ContentChange.objects.create(benchmark_id=benchmark, changes=changes, sample=sample, facets_at=timezone.now())


def fold_changes() -> int:
    """Fold the rows of a benchmark with many into one. The numbers stay; returns the number of removed rows."""
    rows = ContentChange.objects.order_by().values_list("benchmark")
    many = rows.annotate(n=Count("pk")).filter(n__gt=MOST_ROWS)
    return sum(_fold(benchmark) for benchmark, _ in many)


def _fold(benchmark: int) -> int:
    with transaction.atomic():
        # Locked: another sweep at the same time waits, and then finds the one row.
        found = ContentChange.objects.select_for_update(no_key=True).filter(benchmark=benchmark).order_by("pk")
        taken = list(found.values_list("pk", "changes", "facets_at"))
        if not taken:
            return 0
        ContentChange.objects.filter(pk__in=[pk for pk, *_ in taken]).delete()
        times = [at for *_, at in taken if at is not None]
        ContentChange.objects.create(
            benchmark_id=benchmark, changes=sum(n for _, n, _ in taken), facets_at=max(times, default=None)
        )
    return len(taken) - 1
