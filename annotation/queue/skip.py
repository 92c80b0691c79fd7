"""Passing a sample by, leaving it, and giving it back to the queue."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.transitions import lock_sample, update_sample_state
from annotation.models import Annotation, Assignment, Draft, Lease, Sample, Skip, SkippedDraft
from annotation.queue.check_work import check_of, skip_check
from annotation.queue.leases import ANNOTATE, REVIEW, release
from annotation.queue.leave_review import leave_review
from annotation.queue.qualification import finish_if_done
from annotation.workflow import Right, State
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput

RIGHT = {ANNOTATE: Right.ANNOTATE, REVIEW: Right.REVIEW}


def skip(*, actor: User, sample: Sample, reason: str, seat: Lease.Seat = ANNOTATE) -> None:
    """Do not hand me this sample again; the lead sees why. A draft never submitted gives its place to others; its
    content is kept for this person (``SkippedDraft``). One that was returned stays, for the lead to decide."""
    require(actor, sample.benchmark, RIGHT[seat])
    if not reason:
        raise InvalidInput(gettext("Enter a reason for skipping this sample. The lead reads it."), field="reason")
    with transaction.atomic():
        lock_sample(sample)
        Skip.objects.update_or_create(sample=sample, user=actor, seat=seat, defaults={"reason": reason})
        if seat == REVIEW:
            leave_review(actor=actor, sample=sample)
        else:
            # Before the draft, as a save renews the reservation first.
            release(actor, sample.pk, ANNOTATE)
            answer = check_of(actor, sample)
            written = _drop_draft(actor, sample) or skip_check(actor, sample)
            if answer is not None:
                finish_if_done(answer)
            if written:
                SkippedDraft.objects.update_or_create(sample=sample, user=actor, defaults={"content": written})
            Assignment.objects.filter(sample=sample, user=actor).delete()
        audit.record(actor, "sample.skip", sample, sample.benchmark.slug, reason=reason, data={"seat": seat.value})


def skipped_draft(user: User, sample: Sample) -> dict[str, Any]:
    """The draft of this person when they skipped the sample; empty if there was none."""
    found = SkippedDraft.objects.filter(sample=sample, user=user).first()
    return dict(found.content) if found else {}


def _drop_draft(author: User, sample: Sample) -> dict[str, Any]:
    """Delete a draft that was never submitted and return its content. Call inside a transaction."""
    found = Annotation.objects.filter(sample=sample, author=author, state=State.DRAFT, revisions__isnull=True).first()
    if found is None:
        return {}
    draft = Draft.objects.filter(annotation=found).first()
    found.delete()
    update_sample_state(sample)
    return dict(draft.content) if draft else {}
