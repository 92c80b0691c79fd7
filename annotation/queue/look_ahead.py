"""The sample that comes after the one a person works on, so that its page and image can be fetched meanwhile."""

from __future__ import annotations

from datetime import timedelta

from annotation.common.access import require
from annotation.models import Annotation, Guideline, Lease, Sample
from annotation.queue.assignment import hand_out
from annotation.queue.leases import ANNOTATE
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common.clock import from_now

AHEAD = timedelta(minutes=3)
"""The time for which a prefetched sample is reserved. Others wait for it no longer than this, and it is released as
soon as the page is left.
"""


def look_ahead(*, actor: User, sample: Sample) -> Sample | None:
    """The sample that this person is handed after ``sample``: theirs from now on, for a short time unless they have
    begun it. Asked again it is the same one, kept for longer; None when nothing comes after."""
    require(actor, sample.benchmark, Right.ANNOTATE)
    if Guideline.objects.to_read_by(actor, sample.benchmark).exists():
        return None
    following = hand_out(actor, sample.benchmark, beside=sample)
    if following is None:
        return None
    begun = Annotation.objects.filter(sample=following, author=actor).exists()
    if not begun:
        held = Lease.objects.filter(sample=following, seat=ANNOTATE, user=actor)
        held.update(expires_at=from_now(AHEAD))
    return following
