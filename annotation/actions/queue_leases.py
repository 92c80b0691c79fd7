"""Who works on a sample now. Taking, renewing and giving back a seat are single statements that the database decides,
so that of any number of people who ask at once exactly one gets a place."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import Annotation, Benchmark, BenchmarkQueue, Lease, Sample
from annotation.querysets import OPEN_STATES
from webapp.accounts.models import User
from webapp.common.errors import Conflict

LEASE = timedelta(minutes=15)
"""How long a seat is kept without a sign of its holder."""

ANNOTATE, REVIEW = Lease.Seat.ANNOTATE, Lease.Seat.REVIEW


def queue_of(benchmark: Benchmark) -> BenchmarkQueue:
    """The benchmark's rule, or the default one, not stored. Asked for once for each benchmark that was loaded."""
    return getattr(benchmark, "queue", None) or BenchmarkQueue(benchmark=benchmark)


def renew(user: User, sample_id: int, seat: Lease.Seat) -> bool:
    """Keep the seat for longer; whether it is still this person's. A lease that ran out and that nobody took is."""
    held = Lease.objects.filter(sample=sample_id, seat=seat, user=user)
    return bool(held.update(expires_at=timezone.now() + LEASE))


def release(user: User, sample_id: int, seat: Lease.Seat) -> None:
    """Give the seat back; nothing happens when it is not held."""
    Lease.objects.filter(sample=sample_id, seat=seat, user=user).delete()


def take(user: User, sample_id: int, seat: Lease.Seat, place: int = 0) -> bool:
    """Take a place that is free, has run out, or is this person's already. Call inside a transaction."""
    now = timezone.now()
    free = Lease(sample_id=sample_id, seat=seat, place=place, user=user, expires_at=now + LEASE)
    Lease.objects.bulk_create([free], ignore_conflicts=True)
    return renew(user, sample_id, seat) or _take_over(user, free, now)


def _take_over(user: User, wanted: Lease, now: datetime) -> bool:
    found = Lease.objects.filter(sample=wanted.sample_id, seat=wanted.seat, place=wanted.place, expires_at__lte=now)
    try:
        with transaction.atomic():
            return bool(found.update(user=user, expires_at=wanted.expires_at))
    except IntegrityError:
        # The same person took another place of the sample from a second page.
        return renew(user, wanted.sample_id, Lease.Seat(wanted.seat))


def take_to_annotate(user: User, sample_id: int, overlap: int) -> Sample | None:
    """Take one of the sample's places that nobody has filled; None when there is none. Call inside a transaction.

    Whether a place is free is asked once it is ours: who had it may have submitted just before giving it back.
    """
    for place in range(overlap):
        if take(user, sample_id, ANNOTATE, place):
            found: Sample = Sample.objects.get(pk=sample_id)
            if found.state in OPEN_STATES and not Annotation.objects.filter(sample=found, place=place).exists():
                return found
            release(user, sample_id, ANNOTATE)
    return None


def take_authors_seat(user: User, sample: Sample, annotation: Annotation | None) -> None:
    """Hold the place at which this person annotates the sample, theirs again if they had left. Call inside a
    transaction. Raises ``Conflict`` with the code ``lease_lost`` when others have all places."""
    if annotation is not None and annotation.place is not None:
        held = renew(user, sample.pk, ANNOTATE) or take(user, sample.pk, ANNOTATE, annotation.place)
    else:
        overlap = queue_of(sample.benchmark).overlap
        held = renew(user, sample.pk, ANNOTATE) or take_to_annotate(user, sample.pk, overlap) is not None
    if not held:
        raise Conflict(
            f"Your time on {sample.key} ran out and somebody else has it now. What you wrote is still on this page.",
            code="lease_lost",
        )


def place_of(user: User, sample: Sample) -> int:
    """The place that this person holds."""
    return Lease.objects.values_list("place", flat=True).get(sample=sample, seat=ANNOTATE, user=user)
