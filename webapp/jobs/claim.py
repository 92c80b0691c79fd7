"""Taking, keeping and giving back a job: each is one conditional UPDATE, so that exactly one worker wins.

`worker` is fresh for every claim. Whoever was overtaken no longer matches, whatever it still tries to write.
"""

import os
import socket
import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Case, F, IntegerField, When
from django.utils import timezone

from webapp.jobs.models import Job


def new_worker() -> str:
    return f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex[:16]}"


def lease_end(now: datetime | None = None) -> datetime:
    return (now or timezone.now()) + timedelta(seconds=settings.JOB_LEASE_SECONDS)


def claim(job_id: uuid.UUID | str, *, worker: str) -> Job | None:
    """Take the job if it waits, or if its worker fell silent; none when another has it."""
    now = timezone.now()
    taken = (
        Job.objects.filter(pk=job_id)
        .claimable(now)
        .update(
            state=Job.State.RUNNING,
            worker=worker,
            lease_until=lease_end(now),
            attempts=F("attempts") + 1,
            vanished=Case(
                When(state=Job.State.RUNNING, then=F("vanished") + 1),
                default=F("vanished"),
                output_field=IntegerField(),
            ),
            started=now,
            finished=None,
            done_at_start=F("done"),
            error="",
        )
    )
    return Job.objects.get(pk=job_id) if taken else None


def claim_next() -> Job | None:
    """Take the oldest job that can be taken; none when there is nothing to do."""
    candidates = Job.objects.claimable(timezone.now()).oldest_first().values_list("pk", flat=True)
    for job_id in list(candidates[:20]):
        job = claim(job_id, worker=new_worker())
        if job is not None:
            return job
    return None


def renew(job: Job) -> bool:
    """Lengthen the lease; whether the job is still ours."""
    return bool(Job.objects.filter(pk=job.pk).held_by(job.worker).update(lease_until=lease_end()))


def give_back(job: Job) -> bool:
    """Put the job back in the queue, as a worker does that is told to stop."""
    held = Job.objects.filter(pk=job.pk).held_by(job.worker)
    return bool(held.update(state=Job.State.QUEUED, worker="", lease_until=None))


def finish(job: Job, state: Job.State, **fields: Any) -> bool:
    """End the job if it is still ours, with these fields."""
    held = Job.objects.filter(pk=job.pk).held_by(job.worker)
    return bool(held.update(state=state, finished=timezone.now(), lease_until=None, worker="", **fields))
