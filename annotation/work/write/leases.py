"""A lead ends the reservation of a sample, so that it continues in the queue."""

from __future__ import annotations

from django.db import transaction

from annotation.common.access import require
from annotation.content.transitions import lock_sample
from annotation.models import Lease
from annotation.queue.leases import REVIEW
from annotation.queue.leave_review import stop_review
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit


def release_lease(*, actor: User, lease: Lease) -> None:
    """Give the seat back for its holder. What they have saved stays theirs; a review under way is waited for again."""
    sample = lease.sample
    require(actor, sample.benchmark, Right.MANAGE)
    with transaction.atomic():
        lock_sample(sample)
        if not Lease.objects.filter(pk=lease.pk).delete()[0]:
            return
        audit.record(
            actor, "sample.release", sample, sample.benchmark.slug, data={"seat": lease.seat},
            personal={"holder": lease.user.email},
        )  # fmt: skip
        if lease.seat == REVIEW:
            stop_review(actor, sample)
