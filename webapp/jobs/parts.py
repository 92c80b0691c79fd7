"""Jobs in parts: a job creates parts, which any worker runs, and continues when the last of them has ended.

Every change here locks the parent before its parts, so that of two parts ending at the same moment one is the last. A
part writes to the log of its parent, which is the only entry that people see.
"""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import ngettext

from webapp.common.locks import lock_rows
from webapp.jobs.messages import send
from webapp.jobs.models import Job, JobLog
from webapp.jobs.registry import Parts, tell_stopped

STOPPED_BY_A_PERSON = "A person stopped it."
SENT_AT_ONCE = 32
"""Messages of one job's parts that may wait for workers: those of other jobs do not wait behind thousands."""
FAILURES_NAMED = 10


def say(job: Job, text: str, *, level: str = JobLog.Level.INFO) -> None:
    """Add a line to the log of a job; of a part, to that of its parent, under the title of the part."""
    said = f"{job.title}: {text}" if job.parent_id else text
    JobLog.objects.create(job_id=job.parent_id or job.pk, text=said, level=level)


@transaction.atomic
def hand_out(job: Job, parts: Parts) -> bool:
    """Put the parts in the queue, and release the job until they have ended; return whether it was still ours, and is
    not to be stopped.
    """
    let_go = Job.objects.filter(pk=job.pk, cancel_requested=False).held_by(job.worker)
    if not let_go.update(
        worker="", lease_until=None, unit=parts.unit, vanished=0, failures=0, failing_since=None
    ):  # fmt: skip
        return False
    Job.objects.bulk_create(
        Job(
            parent=job, kind=parts.kind, title=part.title[:200], payload=part.payload, created_by_id=job.created_by_id,
            benchmark=job.benchmark, request_id=job.request_id,
        )
        for part in parts.parts
    )  # fmt: skip
    ended = job.parts.exclude(state__in=Job.LIVE).count()
    Job.objects.filter(pk=job.pk).update(done=ended, done_at_start=ended, total=job.parts.count())
    _go_on(job.pk)
    return True


def lock_parent(job: Job) -> None:
    """Call before a part is ended, in the transaction that ends it."""
    if job.parent_id:
        _lock(job.parent_id)


def part_ended(job: Job) -> None:
    """Count a part that has ended, and continue with its parent if it was the last. The parent is locked."""
    if job.parent_id:
        Job.objects.filter(pk=job.parent_id).update(done=F("done") + 1)
        _go_on(job.parent_id)


def stop_parts(job: Job) -> None:
    """Stop the parts of a locked job that is to be stopped: waiting ones at once, others at their next step."""
    lock_rows(job.parts.live())
    job.parts.queued().update(state=Job.State.CANCELLED, finished=Now())
    job.parts.live().update(cancel_requested=True)
    _go_on(job.pk)


def go_on_with_parents() -> None:
    """Send the parts without a message, and continue jobs whose parts have all ended."""
    for pk in Job.objects.waiting_for_parts().values_list("pk", flat=True):
        with transaction.atomic():
            _lock(pk)
            _go_on(pk)


def failures_of(job: Job) -> str:
    """Return the number, names and reasons of failed and rejected parts of the job; "" if there are none."""
    failed = list(job.parts.filter(state__in=Job.NOT_DONE).oldest_first().values_list("title", "error"))
    if not failed:
        return ""
    lines = [f"{len(failed)} of {job.parts.count()} {job.unit} failed."]
    lines += [f"{title}: {error}" for title, error in failed[:FAILURES_NAMED]]
    if len(failed) > FAILURES_NAMED:
        more = len(failed) - FAILURES_NAMED
        message = ngettext("%(count)s more is in the log.", "%(count)s more are in the log.", more)
        lines.append(message % {"count": more})
    return "\n".join(lines)


def has_failed_parts(job: Job) -> bool:
    """Whether the server could not do a part of the job."""
    return bool(job.parts.filter(state=Job.State.FAILED).exists())


def _lock(parent: UUID) -> None:
    # no_key: a log line refers to the row, and is written while a part is locked.
    Job.objects.select_for_update(no_key=True).filter(pk=parent).first()


def _go_on(parent: UUID) -> None:
    """The parent is locked. While parts are live, send more of them; then put it in the queue, or stop it."""
    waiting = Job.objects.waiting_for_parts().filter(pk=parent)
    live = Job.objects.live().filter(parent=parent)
    if live.exists():
        _send_more(parent)
    elif waiting.filter(cancel_requested=True).update(state=Job.State.CANCELLED, finished=Now()):
        job = Job.objects.get(pk=parent)
        tell_stopped(job.kind, job.payload, STOPPED_BY_A_PERSON)
    elif waiting.update(state=Job.State.QUEUED, attempts=0, sent_at=Now()):
        transaction.on_commit(partial(send, parent))


def _send_more(parent: UUID) -> None:
    parts = Job.objects.filter(parent=parent)
    room = SENT_AT_ONCE - parts.live().exclude(sent_at=None).count()
    if room <= 0:
        return
    ids = list(parts.due().filter(sent_at=None).oldest_first().values_list("pk", flat=True)[:room])
    Job.objects.filter(pk__in=lock_rows(Job.objects.filter(pk__in=ids))).update(sent_at=Now())
    for pk in ids:
        transaction.on_commit(partial(send, pk))
