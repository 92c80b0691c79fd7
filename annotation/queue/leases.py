"""Leases of samples. Taking, renewing and releasing one are single SQL statements.

The database decides, so that of any number of simultaneous requests exactly one gets a place."""

from __future__ import annotations

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import gettext

from annotation.models import Annotation, Assignment, Benchmark, BenchmarkQueue, Lease, Sample
from annotation.queue.pauses import require_not_paused
from webapp.accounts.models import User
from webapp.common.clock import from_now
from webapp.common.errors import Conflict

ANNOTATE, REVIEW, AUDIT = Lease.Seat.ANNOTATE, Lease.Seat.REVIEW, Lease.Seat.AUDIT


def queue_of(benchmark: Benchmark) -> BenchmarkQueue:
    """The benchmark's rule, or the default one, not stored. Asked for once for each benchmark that was loaded."""
    return getattr(benchmark, "queue", None) or BenchmarkQueue(benchmark=benchmark)


def renew(user: User, sample_id: int, seat: Lease.Seat) -> bool:
    """Extend the lease. Return whether it still belongs to this person; also an expired one until it is taken."""
    held = Lease.objects.filter(sample=sample_id, seat=seat, user=user)
    return bool(held.update(expires_at=from_now(F("lasts"))))


def renew_or_refuse(user: User, sample: Sample, seat: Lease.Seat, lost: str) -> None:
    """Extend the reservation. Raises ``Conflict`` if it has expired, with the message ``lost``, in which ``key`` is
    that of the sample.
    """
    if not renew(user, sample.pk, seat):
        raise Conflict(lost % {"key": sample.key}, code="lease_lost")


def release(user: User, sample_id: int, seat: Lease.Seat) -> None:
    """Give the seat back; nothing happens when it is not held."""
    Lease.objects.filter(sample=sample_id, seat=seat, user=user).delete()


def leave(user: User, sample_id: int, seat: Lease.Seat) -> None:
    """Expire the lease now. Anyone may take the sample; until then this person gets it again."""
    Lease.objects.filter(sample=sample_id, seat=seat, user=user).update(expires_at=Now())


def take(user: User, sample_id: int, seat: Lease.Seat, lasts: timedelta, place: int = 0) -> bool:
    """Take a place that is free, has run out, or is this person's already, for so long. Call inside a transaction."""
    place_of_it = {"sample_id": sample_id, "seat": seat.value, "place": place}
    mine = {"user": user, "taken_at": Now(), "lasts": lasts, "expires_at": from_now(lasts)}
    Lease.objects.bulk_create([Lease(**place_of_it, **mine)], ignore_conflicts=True)
    if renew(user, sample_id, seat):
        return True
    try:
        with transaction.atomic():
            return bool(Lease.objects.filter(**place_of_it, expires_at__lte=Now()).update(**mine))
    except IntegrityError:
        # The same person took another place of the sample from a second page.
        return renew(user, sample_id, seat)


def take_to_annotate(user: User, sample_id: int, queue: BenchmarkQueue, extra: int = 0) -> Sample | None:
    """Take a free place of the sample, or return None. ``extra``: places beyond the overlap. Call inside a transaction.

    Whether the place is free is checked after taking it: its last holder may have submitted just before releasing it.
    """
    for place in range(queue.wanted(sample_id, extra)):
        if take(user, sample_id, ANNOTATE, queue.lasts, place):
            sample: Sample | None = Sample.objects.filter(pk=sample_id).open_at(place).first()
            if sample is not None:
                return sample
            release(user, sample_id, ANNOTATE)
    return None


def acquire_author_lease(
    user: User, sample: Sample, annotation: Annotation | None, *, handed_only: bool = False
) -> None:
    """Reserve this person's place for annotating the sample, also after they had left it. Call inside a transaction.
    Raises ``Conflict`` with the code ``lease_lost`` if others have all places, or with ``handed_only`` if it was not
    assigned to them, and ``paused`` if they may not begin new work.
    """
    if renew(user, sample.pk, ANNOTATE):
        return
    queue = queue_of(sample.benchmark)
    if annotation is not None and annotation.place is not None:
        held = take(user, sample.pk, ANNOTATE, queue.lasts, annotation.place)
    elif handed_only:
        held = False
    else:
        require_not_paused(user, sample.benchmark)
        given = Assignment.objects.filter(sample=sample).exclude(user=user).exists()
        held = not given and take_to_annotate(user, sample.pk, queue, sample.extra_places) is not None
    if not held:
        raise Conflict(
            gettext(
                "Your reservation of %(key)s expired, and another person has it now. Your text is still on this page."
            )
            % {"key": sample.key},
            code="lease_lost",
        )


def place_of(user: User, sample: Sample) -> int:
    """The place that this person holds."""
    return Lease.objects.values_list("place", flat=True).get(sample=sample, seat=ANNOTATE, user=user)
