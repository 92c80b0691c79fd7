"""Setting the facet ``needs_evidence`` from answers under conditions, and undoing it."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.changes import content_changed
from annotation.evidence import FACET, MOST_LEAST
from annotation.models import Benchmark, FacetBatch, FacetValue, Sample
from annotation.workflow import Right
from evaluation.evidence.read.necessity import necessity_of
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

AT_ONCE = 1000


def set_facet(*, actor: User, benchmark: Benchmark, least: int, expected: int | None = None) -> FacetBatch:
    """Set the facet of all samples whose result is defined. ``least``: decided answers that a condition needs;
    ``expected``: the number of changes that the person saw. Raises ``InvalidInput``, and ``Conflict`` with the code
    ``changed`` if there are others by now, and ``nothing`` if there is nothing to change."""
    require(actor, benchmark, Right.MANAGE)
    check_least(least)
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).only("pk").get(pk=benchmark.pk)
        changes = necessity_of(benchmark, least).changes
        if expected is not None and expected != len(changes):
            said = gettext("%(n)s samples would change by now. Reload the page and set the facet again.")
            raise Conflict(said % {"n": len(changes)}, code="changed")
        if not changes:
            raise Conflict(gettext("No sample would change: each defined result is set already."), code="nothing")
        _put(benchmark, {one.sample: one.after for one in changes})
        rows = [[one.sample, one.before or None, one.after] for one in changes]
        batch = FacetBatch.objects.create(benchmark=benchmark, name=FACET, changes=rows, made_by=actor)
        data = {"name": FACET, "samples": len(rows), "least": least, "batch": batch.pk}
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
        rows = FacetValue.objects.filter(benchmark=benchmark, name=batch.name, position=0)
        now = dict(rows.values_list("sample", "value"))
        back = {sample: before or "" for sample, before, after in batch.changes if now.get(sample) == after}
        _put(benchmark, back)
        kept = len(batch.changes) - len(back)
        data = {"name": batch.name, "samples": len(back), "kept": kept, "batch": batch.pk}
        audit.record(
            actor=actor, action="benchmark.facets_undo", subject=benchmark, benchmark=benchmark.slug, data=data
        )
    return len(back), kept


def check_least(least: int) -> None:
    if not 1 <= least <= MOST_LEAST:
        said = gettext("Choose from 1 to %(most)s answers per condition.") % {"most": MOST_LEAST}
        raise InvalidInput(said, field="least")


def _put(benchmark: Benchmark, values: Mapping[int, str]) -> None:
    """Give samples these values of the facet; "" removes it. Call inside a transaction."""
    numbers = list(values)
    for start in range(0, len(numbers), AT_ONCE):
        some = numbers[start : start + AT_ONCE]
        there = benchmark.samples.filter(pk__in=some)
        FacetValue.objects.filter(sample__in=there, name=FACET).delete()
        FacetValue.objects.bulk_create(
            FacetValue(sample_id=pk, benchmark=benchmark, name=FACET, value=values[pk])
            for pk in there.values_list("pk", flat=True)
            if values[pk]
        )
        Sample.objects.filter(pk__in=there.values("pk")).update(changed_at=timezone.now())
    if values:
        content_changed(benchmark.pk)
