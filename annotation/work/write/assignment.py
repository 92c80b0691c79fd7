"""A lead assigns samples to one person, who gets them next. Other people don't get them."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.idempotency import answer_once
from annotation.common.notices import notify_assigned
from annotation.common.words import state_words
from annotation.models import Annotation, Assignment, Benchmark, BenchmarkQueue, Lease, Receipt, Sample, Skip
from annotation.models.querysets.samples import SampleQuerySet
from annotation.queue.batch import SETTLED, Batch, Refused, load_batch, require_annotator
from annotation.queue.leases import ANNOTATE, queue_of
from annotation.workflow import Right, State
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.bulk import insert_rows
from webapp.common.translation import all_of

UNFINISHED = (State.DRAFT, State.RETURNED)


def assign_samples(*, actor: User, benchmark: Benchmark, samples: SampleQuerySet, to: User, key: str) -> Receipt:
    """Assign samples to ``to``. If all places are taken, the only unfinished annotation moves to them with its content.
    Samples with several unfinished annotations, or with submitted ones, are rejected. Repeating the same ``key``
    changes nothing.
    """
    require(actor, benchmark, Right.MANAGE)
    require_annotator(to, benchmark)

    def work() -> dict[str, object]:
        batch = load_batch(benchmark, samples)
        _assign(actor, batch, to)
        return batch.answer() | {"to": str(to)}

    return answer_once(actor, key, f"assign:{benchmark.pk}", work)


def _assign(actor: User, batch: Batch, to: User) -> None:
    queue = queue_of(batch.benchmark)
    given: list[Sample] = []
    taken: dict[int, Annotation] = {}
    for sample in batch.samples:
        try:
            annotation = _in_the_way(sample, batch.annotations[sample.pk], to, queue)
        except Refused as refusal:
            batch.refused[sample.key] = str(refusal)
            continue
        given.append(sample)
        if annotation is not None:
            taken[sample.pk] = annotation
    before = dict(Assignment.objects.filter(sample__in=given).values_list("sample", "user"))
    changed = [sample for sample in given if sample.pk in taken or before.get(sample.pk) != to.pk]
    _clear_seats(changed, batch, taken, to)
    _give(changed, taken, to)
    if changed:
        notify_assigned(actor, batch.benchmark, to)
    audit.record_many(
        audit.entry(
            actor=actor, action="sample.assign", subject=sample, benchmark=batch.benchmark.slug,
            data={"to": str(to)} | ({"from": str(taken[sample.pk].author)} if sample.pk in taken else {}),
        )
        for sample in changed
    )  # fmt: skip
    batch.done += [sample.key for sample in given]


def _in_the_way(sample: Sample, annotations: list[Annotation], to: User, queue: BenchmarkQueue) -> Annotation | None:
    """Return another person's annotation that moves to ``to``; None if a place is free."""
    if sample.state in SETTLED:
        raise Refused(
            gettext("It is %(state)s. Reopen it for %(person)s instead.")
            % {"state": state_words(sample.state), "person": to}
        )
    own = next((one for one in annotations if one.author_id == to.pk), None)
    if own is not None and own.state not in UNFINISHED:
        raise Refused(gettext("%(person)s has already submitted it.") % {"person": to})
    placed = [one for one in annotations if one.place is not None]
    if own is not None or len(placed) < queue.wanted(sample.pk):
        return None
    unfinished = [one for one in placed if one.state in UNFINISHED]
    if not unfinished:
        raise Refused(gettext("It is already submitted. Return it first."))
    if len(unfinished) > 1:
        names = all_of([str(one.author) for one in unfinished])
        raise Refused(gettext("%(people)s have drafts of it.") % {"people": names})
    return unfinished[0]


def _clear_seats(samples: list[Sample], batch: Batch, taken: dict[int, Annotation], to: User) -> None:
    """End the reservations of people whose sample is assigned to another person. People with their own annotation there
    keep theirs.
    """
    leases = Lease.objects.filter(sample__in=samples, seat=ANNOTATE).exclude(user=to)
    stays = {
        (sample.pk, one.author_id)
        for sample in samples
        for one in batch.annotations[sample.pk]
        if one is not taken.get(sample.pk)
    }
    gone = [pk for pk, sample, user in leases.values_list("pk", "sample", "user") if (sample, user) not in stays]
    Lease.objects.filter(pk__in=gone).delete()


def _give(samples: list[Sample], taken: dict[int, Annotation], to: User) -> None:
    handed_over = [annotation.pk for annotation in taken.values()]
    now = timezone.now()
    Annotation.objects.filter(pk__in=handed_over).update(author=to, changed_at=now)
    Skip.objects.filter(sample__in=samples, user=to, seat=ANNOTATE).delete()
    Assignment.objects.filter(sample__in=samples).delete()
    insert_rows(Assignment, ("sample", "user", "created_at"), [(sample.pk, to.pk, now) for sample in samples])
