"""Leaving a review releases its reservation."""

from __future__ import annotations

from django.db import transaction

from annotation.common.access import require
from annotation.content.transitions import apply_transition, lock_sample
from annotation.models import Annotation, Sample
from annotation.queue.leases import REVIEW, release
from annotation.workflow import Right, State
from webapp.accounts.models import User


def leave_review(*, actor: User, sample: Sample) -> None:
    """Give the seat back undecided; the sample waits again."""
    require(actor, sample.benchmark, Right.REVIEW)
    with transaction.atomic():
        lock_sample(sample)
        held = sample.leases.filter(seat=REVIEW, user=actor).exists()
        if held:
            stop_review(actor, sample)
        release(actor, sample.pk, REVIEW)


def stop_review(actor: User, sample: Sample) -> None:
    """Return submissions under review to the queue. Call inside a transaction."""
    for annotation in Annotation.objects.filter(sample=sample, state=State.IN_REVIEW):
        annotation.sample = sample
        apply_transition(actor=actor, annotation=annotation, name="stop_review")
