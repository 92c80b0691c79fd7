"""Who works on a sample now. Taking, renewing and giving back a seat are single statements that the database decides,
so that of any number of people who ask at once exactly one gets a place."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import Annotation, BenchmarkQueue, Lease, Sample
from webapp.accounts.models import User
from webapp.common.errors import Conflict

LEASE = timedelta(minutes=15)
"""How long a seat is kept without a sign of its holder."""

ANNOTATE, REVIEW, AUDIT = Lease.Seat.ANNOTATE, Lease.Seat.REVIEW, Lease.Seat.AUDIT


def overlap_of(benchmark_id: int) -> int:
    """How many people annotate each sample of this benchmark."""
    found = BenchmarkQueue.objects.filter(benchmark=benchmark_id).values_list("overlap", flat=True).first()
    return found or 1


def renew(user: User, sample_id: int, seat: Lease.Seat) -> bool:
    """Keep the seat for longer; whether it is still this person's. A lease that ran out and that nobody took is."""
    held = Lease.objects.filter(sample=sample_id, seat=seat, user=user)
    return bool(held.update(expires_at=timezone.now() + LEASE))


def release(user: User, sample_id: int, seat: Lease.Seat) -> None:
    """Give the seat back; nothing happens when it is not held."""
    Lease.objects.filter(sample=sample_id, seat=seat, user=user).delete()


def take(user: User, sample_id: int, seat: Lease.Seat, place: int = 0) -> bool:
    """Take a place that is free, has run out, or is this person's already. Call inside a transaction."""
    if renew(user, sample_id, seat):
        return True
    now = timezone.now()
    row = {"sample_id": sample_id, "seat": seat, "place": place}
    try:
        with transaction.atomic():
            return _take_over(user, row, now) or bool(Lease.objects.create(**row, user=user, expires_at=now + LEASE))
    except IntegrityError:
        # Somebody was faster: another person, or the same one from a second page.
        return renew(user, sample_id, seat)


def _take_over(user: User, row: dict[str, object], now: datetime) -> bool:
    found = Lease.objects.filter(**row).takeable(user, now)
    return bool(found.update(user=user, expires_at=now + LEASE))


def take_to_annotate(user: User, sample_id: int, overlap: int) -> Sample | None:
    """Take one of the sample's places that nobody has filled; None when there is none. Call inside a transaction.

    Whether a place is free is asked once it is ours: who had it may have submitted just before giving it back.
    """
    for place in range(overlap):
        if take(user, sample_id, ANNOTATE, place):
            found = Sample.objects.filter(pk=sample_id).open_at(place).first()
            if found is not None:
                return found
            release(user, sample_id, ANNOTATE)
    return None


def take_authors_seat(user: User, sample: Sample, annotation: Annotation | None) -> None:
    """Hold the place at which this person annotates the sample, theirs again if they had left. Call inside a
    transaction. Raises ``Conflict`` with the code ``lease_lost`` when others have all places."""
    if annotation is not None and annotation.place is not None:
        held = take(user, sample.pk, ANNOTATE, annotation.place)
    else:
        overlap = overlap_of(sample.benchmark_id) + sample.extra_places
        held = renew(user, sample.pk, ANNOTATE) or take_to_annotate(user, sample.pk, overlap) is not None
    if not held:
        raise Conflict(
            f"Your time on {sample.key} ran out and somebody else has it now. What you wrote is still on this page.",
            code="lease_lost",
        )


def place_of(user: User, sample: Sample) -> int:
    """The place that this person holds."""
    return Lease.objects.values_list("place", flat=True).get(sample=sample, seat=ANNOTATE, user=user)
