"""Values of a facet that a lead sets on many samples at once, and undoing them.

A batch changes the facets of samples and no revision: revisions keep the words that they were submitted with. Scores by
facet become stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.changes import facets_changed
from annotation.content.revisions import facet_rows
from annotation.content.transitions import lock_samples
from annotation.models import Benchmark, FacetBatch, FacetValue, Sample
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict

AT_ONCE = 1000
Values = tuple[Any, ...]
"""The values of one facet of a sample, in their order, with the JSON types that they have in files."""


def values_of(name: str, samples: Iterable[int]) -> dict[int, Values]:
    """The values of this facet by sample, without those from the tool bank. Samples without a value are left out."""
    found: dict[int, Values] = {}
    numbers = list(samples)
    for start in range(0, len(numbers), AT_ONCE):
        rows = FacetValue.objects.filter(name=name, sample__in=numbers[start : start + AT_ONCE])
        for row in rows.exclude(kind=FacetValue.Kind.BANK).order_by("sample", "position"):
            found[row.sample_id] = (*found.get(row.sample_id, ()), row.original())
    return found


def facet_batches(benchmark: Benchmark) -> QuerySet[FacetBatch]:
    """The facet values that leads set on many samples at once, the newest batch first."""
    return FacetBatch.objects.filter(benchmark=benchmark).select_related("made_by", "benchmark")


def make_batch(
    *, actor: User, benchmark: Benchmark, name: str, changes: Mapping[int, tuple[Values, Values]], **about: Any
) -> FacetBatch:
    """Give each sample the values after instead of those before. Call inside a transaction that has locked the
    benchmark. ``about``: for the log."""
    _put(benchmark, name, {sample: after for sample, (_, after) in changes.items()})
    rows = [[sample, _stored(before), _stored(after)] for sample, (before, after) in changes.items()]
    batch = FacetBatch.objects.create(benchmark=benchmark, name=name, changes=rows, made_by=actor)
    data = {"name": name, "samples": len(rows), **about, "batch": batch.pk}
    audit.record(actor=actor, action="benchmark.facets", subject=benchmark, benchmark=benchmark.slug, data=data)
    return batch


def undo_batch(*, actor: User, batch: FacetBatch) -> tuple[int, int]:
    """Give the samples of a batch their earlier values; return the numbers of samples that got theirs, and of those
    that a later change or a deletion kept. Raises ``Conflict`` if it is undone already."""
    benchmark = batch.benchmark
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).only("pk").get(pk=benchmark.pk)
        if not FacetBatch.objects.filter(pk=batch.pk, undone_at=None).update(undone_at=timezone.now()):
            raise Conflict(gettext("These values are undone already."), code="undone")
        there = set(benchmark.samples.order_by().values_list("pk", flat=True))
        now = values_of(batch.name, (sample for sample, *_ in batch.changes if sample in there))
        back = {
            sample: _values(before)
            for sample, before, after in batch.changes
            if sample in there and now.get(sample, ()) == _values(after)
        }
        _put(benchmark, batch.name, back)
        kept = len(batch.changes) - len(back)
        data = {"name": batch.name, "samples": len(back), "kept": kept, "batch": batch.pk}
        audit.record(
            actor=actor, action="benchmark.facets_undo", subject=benchmark, benchmark=benchmark.slug, data=data
        )
    return len(back), kept


def undo_message(back: int, kept: int) -> str:
    """The message for the result of ``undo_batch``."""
    message = gettext("%(back)s samples have their earlier value. %(kept)s were changed later and keep theirs.")
    return message % {"back": back, "kept": kept}


def _stored(values: Values) -> str | list[Any] | None:
    """As ``FacetBatch.changes`` has them."""
    if not values:
        return None
    return values[0] if len(values) == 1 and isinstance(values[0], str) else list(values)


def _values(stored: str | list[Any] | None) -> Values:
    if stored is None:
        return ()
    return (stored,) if isinstance(stored, str) else tuple(stored)


def _put(benchmark: Benchmark, name: str, values: Mapping[int, Values]) -> None:
    """Give samples these values of the facet, and no others. Call inside a transaction."""
    numbers = list(values)
    lock_samples(numbers)
    for start in range(0, len(numbers), AT_ONCE):
        there = list(benchmark.samples.filter(pk__in=numbers[start : start + AT_ONCE]).only("pk", "benchmark_id"))
        FacetValue.objects.filter(sample__in=there, name=name).exclude(kind=FacetValue.Kind.BANK).delete()
        FacetValue.objects.bulk_create(row for one in there for row in facet_rows(one, {name: values[one.pk]}))
        Sample.objects.filter(pk__in=[one.pk for one in there]).update(changed_at=timezone.now())
    if values:
        facets_changed(benchmark.pk)
