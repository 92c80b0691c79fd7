"""Taking samples out of a benchmark, and putting them back."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import F
from django.db.models.functions import Now

from annotation.content.changes import content_changed
from annotation.models import Benchmark, FacetValue, Lease, Sample
from webapp.accounts.models import User


def take_out(*, actor: User, benchmark: Benchmark, samples: Collection[int], withdrawn: str = "") -> None:
    """Take samples out of their benchmark: no query for samples of the benchmark finds them any more. Call inside a
    transaction, with the samples locked. ``withdrawn``: the reason, for samples of frozen versions."""
    Lease.objects.filter(sample__in=samples).delete()
    FacetValue.objects.filter(sample__in=samples).update(benchmark=None)
    Sample.objects.filter(pk__in=samples).update(
        benchmark=None, removed_from=benchmark, deleted_at=Now(), deleted_by=actor, withdrawn=withdrawn
    )
    content_changed(benchmark.pk)


def put_back(*, benchmark: Benchmark, samples: Collection[int]) -> None:
    """Undo ``take_out``. Call inside a transaction, with the samples locked."""
    FacetValue.objects.filter(sample__in=samples).update(benchmark=benchmark)
    Sample.everything.filter(pk__in=samples).update(
        benchmark=F("removed_from"), removed_from=None, deleted_at=None, deleted_by=None, withdrawn=""
    )
    content_changed(benchmark.pk)
