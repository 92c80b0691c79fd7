"""Starting, stopping and repeating jobs: the only door to work in the background."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext

from webapp.accounts.models import User
from webapp.common import audit, request_id
from webapp.common.errors import Conflict
from webapp.jobs.messages import send
from webapp.jobs.models import Job
from webapp.jobs.parts import STOPPED_BY_A_PERSON, stop_parts
from webapp.jobs.registry import kind_named, tell_stopped

LONGEST_TITLE = 200


def enqueue_on_commit(
    kind: str,
    *,
    payload: dict[str, Any],
    actor: User | None,
    values: Mapping[str, str | int] | None = None,
    benchmark: str = "",
    key: str | None = None,
    total: int | None = None,
) -> Job:
    """Put a job in the queue when the transaction around this commits; nothing happens if it does not.

    `payload` holds ids and plain values, never objects. `values` fill the title of the kind. With a `key`
    there is at most one live job of it: while one waits or runs, that one is returned and none is added.
    """
    values = dict(values or {})
    title = kind_named(kind).title
    fields = {
        "title": (title % values if values else title)[:LONGEST_TITLE], "values": values,
        "payload": payload, "created_by": actor, "benchmark": benchmark, "key": key or "", "total": total,
        "request_id": _reference(),
    }  # fmt: skip
    while True:
        try:
            with transaction.atomic():
                job = Job.objects.create(kind=kind, sent_at=Now(), **fields)
        except IntegrityError:
            # The one with this key may end between the refusal and this look; then there is room for ours.
            live = Job.objects.live().filter(key=key).first() if key else None
            if live is not None:
                return live
            if not key:
                raise
        else:
            transaction.on_commit(partial(send, job.pk))
            return job


@transaction.atomic
def cancel(job: Job, *, actor: User) -> Job:
    """Stop the job: at once when it waits, at its next progress when it runs; so too its parts."""
    job = _locked(job)
    if not job.is_live:
        raise Conflict(
            gettext("“%(title)s” has already ended: %(state)s.")
            % {"title": job.title_words, "state": job.get_state_display().lower()}
        )
    before = job.state
    if job.state == Job.State.QUEUED:
        job.state, job.finished = Job.State.CANCELLED, timezone.now()
        job.error = ""
    job.cancel_requested = True
    job.save(update_fields=["state", "finished", "error", "cancel_requested"])
    if not job.is_live:
        tell_stopped(job.kind, job.payload, STOPPED_BY_A_PERSON)
    elif job.waits_for_parts:
        stop_parts(job)
        job.refresh_from_db()
    _note("job.cancel", job, actor=actor, before=before)
    return job


@transaction.atomic
def retry(job: Job, *, actor: User) -> Job:
    """Put a failed, rejected or stopped job in the queue again; it continues from its last checkpoint. The body of a
    job with parts determines the remaining work.
    """
    job = _locked(job)
    if not job.can_retry:
        raise Conflict(
            gettext("“%(title)s” can't be retried. Only failed, rejected or stopped jobs can.")
            % {"title": job.title_words}
        )
    if job.key and Job.objects.live().filter(key=job.key).exists():
        raise Conflict(gettext("“%(title)s” is already running in another job.") % {"title": job.title_words})
    before = job.state
    Job.objects.filter(pk=job.pk).update(
        state=Job.State.QUEUED, cancel_requested=False, error="", finished=None, sent_at=Now(), not_before=None,
        vanished=0, failures=0, failing_since=None, request_id=_reference(),
    )  # fmt: skip
    if job.parts.all().delete()[0]:
        Job.objects.filter(pk=job.pk).update(done=0, total=None)
    job.refresh_from_db()
    tell_stopped(job.kind, job.payload, "")
    _note("job.retry", job, actor=actor, before=before)
    transaction.on_commit(partial(send, job.pk))
    return job


def _reference() -> str:
    """That of the request which asks for a job; "" for a command or a sweep."""
    return "" if request_id.current() == request_id.NONE else request_id.current()


def _locked(job: Job) -> Job:
    """The current row, locked until the transaction ends, so that a claim waits for it."""
    return Job.objects.select_for_update(no_key=True).get(pk=job.pk)


def _note(action: str, job: Job, *, actor: User, before: str) -> None:
    audit.record(
        actor, action, job, job.benchmark, before=before,
        after="cancelling" if job.is_live and job.cancel_requested else job.state,
        data={"kind": job.kind, "title": job.title},
    )  # fmt: skip
