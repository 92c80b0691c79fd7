"""Claiming, keeping and releasing a job: each is one conditional UPDATE, so that exactly one worker wins.

``worker`` is new for every claim, so a worker that lost its job no longer matches and cannot write. All times are those
of the database, because the clocks of hosts differ.
"""

import os
import random
import socket
import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Exists, F, IntegerField, OuterRef, When
from django.db.models.functions import Coalesce, Now

from webapp.common.clock import from_now
from webapp.common.outages import Outage
from webapp.jobs.models import Job, JobLog
from webapp.jobs.parts import STOPPED_BY_A_PERSON, lock_parent, part_ended, say
from webapp.jobs.registry import tell_stopped

LONGEST_WAIT_SECONDS = 30
"""Between two tries of a job that an outage stopped."""
_HAS_PARTS = Exists(Job.objects.filter(parent=OuterRef("pk")))
"""Such a job began when its parts were assigned."""


def new_worker() -> str:
    return f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex[:16]}"


def lease_end() -> Any:
    """The end of a lease that begins or is renewed now."""
    return from_now(timedelta(seconds=settings.JOB_LEASE_SECONDS))


def claim(job_id: uuid.UUID | str, *, worker: str) -> Job | None:
    """Take the job if it waits, or if its worker fell silent; none when another has it."""
    taken = (
        Job.objects.filter(pk=job_id)
        .claimable()
        .update(
            state=Job.State.RUNNING,
            worker=worker,
            lease_until=lease_end(),
            not_before=None,
            attempts=F("attempts") + 1,
            vanished=Case(
                When(state=Job.State.RUNNING, then=F("vanished") + 1),
                default=F("vanished"),
                output_field=IntegerField(),
            ),
            started=Case(When(_HAS_PARTS, then=Coalesce("started", Now())), default=Now()),
            finished=None,
            done_at_start=F("done"),
            error="",
        )
    )
    return Job.objects.get(pk=job_id) if taken else None


def claim_next(*, parts: bool = True) -> Job | None:
    """Take the oldest job that can be taken, parts after all others; none when there is nothing to do. ``parts``:
    whether parts are taken at all."""
    claimable = Job.objects.claimable() if parts else Job.objects.claimable().filter(parent=None)
    candidates = claimable.parts_last().values_list("pk", flat=True)
    for job_id in list(candidates[:20]):
        job = claim(job_id, worker=new_worker())
        if job is not None:
            return job
    return None


def renew(job: Job) -> bool:
    """Lengthen the lease; whether the job is still ours."""
    return bool(_held(job).update(lease_until=lease_end()))


def give_back(job: Job) -> bool:
    """Put the job back in the queue, as a stopping worker does. A sweeper sends it again at once."""
    return bool(_held(job).update(state=Job.State.QUEUED, worker="", lease_until=None, sent_at=None))


@transaction.atomic
def postpone(job: Job, outage: Outage) -> bool:
    """Put a job that an outage stopped back in the queue. It waits longer after each failure in a row, between half of
    the limit and the limit at random, so that not all jobs come back at once. In the end it fails and needs a person.
    """
    reason, longest = outage.reason, outage.give_up_after
    if finish_failed(job, f"{reason} Retries failed for {_in_words(longest)}.", after=longest):
        return True
    limit = min(LONGEST_WAIT_SECONDS, 2 ** min(job.failures + 1, 10))
    wait = random.uniform(limit / 2, limit)
    put_back = _held(job).update(
        state=Job.State.QUEUED,
        worker="",
        lease_until=None,
        sent_at=None,
        not_before=from_now(timedelta(seconds=wait)),
        failures=job.failures + 1,
        failing_since=Coalesce(F("failing_since"), Now()),
        error=f"{reason} The job will retry automatically.",
    )
    if put_back:
        say(job, f"{reason} Next try in {wait:.1f} s.", level=JobLog.Level.WARNING)
    return bool(put_back)


def _in_words(time: timedelta) -> str:
    hours = time // timedelta(hours=1)
    return f"{hours} hours" if hours else f"{time // timedelta(minutes=1)} minutes"


def finish(job: Job, state: Job.State, **fields: Any) -> bool:
    """End the job if it is still ours, with these fields."""
    return _end(job, _held(job), state=state, **fields)


@transaction.atomic
def finish_failed(job: Job, sentence: str, *, after: timedelta | None = None) -> bool:
    """End the job as failed, with the reason in its log and for its followers.

    ``after``: only if it has been failing for this time."""
    held = _held(job) if after is None else _held(job).filter(failing_since__lt=from_now(-after))
    return _end_with_reason(job, held, Job.State.FAILED, sentence, JobLog.Level.ERROR)


@transaction.atomic
def finish_rejected(job: Job, sentence: str) -> bool:
    """End the job as rejected: what it was given can't be used, for this reason. The server did not fail."""
    return _end_with_reason(job, _held(job), Job.State.REJECTED, sentence, JobLog.Level.WARNING)


def _end_with_reason(job: Job, held: Any, state: Job.State, sentence: str, level: JobLog.Level) -> bool:
    ended = _end(job, held, state=state, error=sentence)
    if ended:
        say(job, sentence, level=level)
        tell_stopped(job.kind, job.payload, sentence)
    return ended


@transaction.atomic
def finish_cancelled(job: Job) -> bool:
    """End the job because a person stopped it."""
    ended = finish(job, Job.State.CANCELLED)
    if ended:
        tell_stopped(job.kind, job.payload, STOPPED_BY_A_PERSON)
    return ended


@transaction.atomic
def _end(job: Job, held: Any, **fields: Any) -> bool:
    lock_parent(job)
    ended = held.update(finished=Now(), lease_until=None, worker="", **fields)
    if ended:
        part_ended(job)
    return bool(ended)


def _held(job: Job) -> Any:
    return Job.objects.filter(pk=job.pk).held_by(job.worker)
