"""A lead discards samples in any state. Discarded samples are not assigned and have no gold."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.idempotency import answer_once
from annotation.common.notices import notify_ended
from annotation.content.changes import content_changed
from annotation.models import Annotation, Assignment, Benchmark, Gold, Lease, Receipt, Sample
from annotation.models.querysets.samples import SampleQuerySet
from annotation.queue.batch import Batch, apply_transitions, load_batch, reasons_in_english, update_sample_states
from annotation.work.write.returns import check_why
from annotation.workflow import Right, SampleState, State
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.bulk import insert_rows, reserve_ids


def discard_samples(
    *, actor: User, benchmark: Benchmark, samples: SampleQuerySet, reasons: Sequence[str], comment: str, key: str
) -> Receipt:
    """Discard samples with all work on them; drafts are kept in case they are reopened. Frozen versions keep their
    gold. Samples that are already discarded are rejected. Repeating the same ``key`` changes nothing.
    """
    require(actor, benchmark, Right.MANAGE)
    check_why(benchmark, reasons, comment, gettext("Choose a reason, or write a comment. It stays with the sample."))

    def work() -> dict[str, object]:
        batch = load_batch(benchmark, samples)
        leaving = [sample for sample in batch.samples if sample.state != SampleState.DISCARDED]
        batch.done = [sample.key for sample in leaving]
        already = gettext("It is already discarded.")
        batch.refused = {one.key: already for one in batch.samples if one.state == SampleState.DISCARDED}
        _discard(actor, batch, leaving, comment or reasons_in_english(reasons))
        return batch.answer()

    return answer_once(actor, key, f"discard:{benchmark.pk}", work)


def _discard(actor: User, batch: Batch, leaving: list[Sample], why: str) -> None:
    notify_ended("discarded", actor, batch.benchmark, [sample.pk for sample in leaving])
    Lease.objects.filter(sample__in=leaving).delete()
    Assignment.objects.filter(sample__in=leaving).delete()
    Gold.objects.filter(sample__in=leaving).delete()
    Sample.objects.filter(pk__in=[sample.pk for sample in leaving]).update(evidence_share=None)
    made = [one for sample in leaving for one in batch.annotations[sample.pk] if one.state != State.DISCARDED]
    apply_transitions(actor=actor, batch=batch, annotations=made, name="discard", reason=why)
    _mark_untouched(actor, batch, [sample for sample in leaving if not batch.annotations[sample.pk]], why)
    update_sample_states(leaving)
    content_changed(batch.benchmark.pk)


def _mark_untouched(actor: User, batch: Batch, samples: list[Sample], why: str) -> None:
    """Mark samples without any work as discarded, by an empty annotation without an author."""
    now = timezone.now()
    rows = [
        (number, sample.pk, State.DISCARDED.value, Annotation.Kind.OWN.value, now, now)
        for number, sample in zip(reserve_ids(Annotation, len(samples)), samples, strict=True)
    ]
    insert_rows(Annotation, ("id", "sample", "state", "kind", "created_at", "changed_at"), rows)
    audit.record_many(
        audit.entry(
            actor=actor, action="sample.discard", subject=sample, benchmark=batch.benchmark.slug,
            before=SampleState.TO_DO.value, after=SampleState.DISCARDED.value, reason=why,
        )
        for sample in samples
    )  # fmt: skip
