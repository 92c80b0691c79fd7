"""Taking samples out of a benchmark, and putting them back."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import F

from annotation.content.changes import content_changed
from annotation.models import Benchmark, FacetValue, Sample
from webapp.accounts.models import User


def take_out(*, actor: User, benchmark: Benchmark, samples: Collection[int], at: datetime, withdrawn: str = "") -> None:
    """Take samples out of their benchmark: no query for samples of the benchmark finds them any more. Call inside a
    transaction, with the samples locked. Reservations are left to expire: locking them here could wait for a person
    who waits for the sample. ``withdrawn``: the reason, for samples of frozen versions.

    Let this be the last act of the transaction that waits for others: who inserts rows of a sample waits for it at
    their commit."""
    FacetValue.objects.filter(sample__in=samples).update(benchmark=None)
    Sample.objects.filter(pk__in=samples).update(
        benchmark=None, removed_from=benchmark, deleted_at=at, deleted_by=actor, withdrawn=withdrawn
    )
    content_changed(benchmark.pk)


def put_back(*, benchmark: Benchmark, samples: Collection[int]) -> None:
    """Undo ``take_out``. Call inside a transaction, with the samples locked."""
    FacetValue.objects.filter(sample__in=samples).update(benchmark=benchmark)
    Sample.everything.filter(pk__in=samples).update(
        benchmark=F("removed_from"), removed_from=None, deleted_at=None, deleted_by=None, withdrawn=""
    )
    content_changed(benchmark.pk)
