"""Running one claimed job to its end, whatever the end is."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from django.conf import settings
from django.db import DatabaseError, connection

from webapp.common.errors import ApplicationError
from webapp.jobs.claim import claim_next, finish, give_back, renew
from webapp.jobs.context import JobCancelled, JobContext, LeaseLost, WorkerStopping
from webapp.jobs.models import Job, JobLog
from webapp.jobs.registry import kind_named

logger = logging.getLogger(__name__)
# A job whose worker vanishes this often without a checkpoint is what kills the worker: too much memory, most often.
MOST_VANISHED = 3


def run(job: Job, *, stopping: Event | None = None) -> None:
    """Run a job that the caller has claimed, and write down how it ended."""
    if job.cancel_requested:
        finish(job, Job.State.CANCELLED)
    elif job.vanished >= MOST_VANISHED:
        _fail(
            job,
            f"The worker ended {job.vanished} times in the middle of this job. It may need more memory than there is.",
        )
    else:
        with _lease_kept(job):
            _run_body(job, JobContext(job, stopping=stopping))


def run_waiting() -> int:
    """Run all jobs that can be taken, one after the other, in this thread; how many were run."""
    count = 0
    while (job := claim_next()) is not None:
        run(job)
        count += 1
    return count


def _run_body(job: Job, context: JobContext) -> None:
    try:
        result = kind_named(job.kind).body(context, **job.payload)
        finish(job, Job.State.DONE, result=result or {}, result_url=context.result_url)
    except JobCancelled:
        finish(job, Job.State.CANCELLED)
    except WorkerStopping:
        give_back(job)
    except LeaseLost:
        logger.warning("Job %s (%s) was taken over by another worker; this one stops.", job.pk, job.kind)
    except ApplicationError as error:
        _fail(job, error.message)
    except Exception as error:
        logger.exception("Job %s (%s) broke", job.pk, job.kind)
        _fail(
            job,
            f"A fault of the program stopped this ({type(error).__name__}). The log of the worker names job {job.pk}.",
        )


def _fail(job: Job, sentence: str) -> None:
    if finish(job, Job.State.FAILED, error=sentence):
        JobLog.objects.create(job=job, level=JobLog.Level.ERROR, text=sentence)


@contextmanager
def _lease_kept(job: Job) -> Iterator[None]:
    """Renew the lease from a thread of its own, so that one long step is not taken for a vanished worker."""
    ended = Event()
    thread = Thread(target=_renew_until, args=(job, ended), name=f"lease of {job.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _renew_until(job: Job, ended: Event) -> None:
    try:
        while not ended.wait(settings.JOB_LEASE_SECONDS / 3):
            try:
                if not renew(job):
                    return
            except DatabaseError:
                logger.warning("The lease of job %s could not be renewed; trying again.", job.pk, exc_info=True)
                connection.close()
    finally:
        connection.close()
