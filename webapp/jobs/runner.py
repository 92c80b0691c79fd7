"""Runs one claimed job to its end, successful or not."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from http import HTTPStatus
from threading import Event, Thread

from django.conf import settings
from django.db import Error as DatabaseLayerError
from django.db import connection
from django.db.models import F
from django.db.models.functions import Coalesce

from webapp.common import request_id
from webapp.common.errors import ApplicationError
from webapp.common.outages import outage_of
from webapp.common.translation import in_english
from webapp.jobs.claim import (
    claim_next,
    finish,
    finish_cancelled,
    finish_failed,
    finish_rejected,
    give_back,
    postpone,
    renew,
)
from webapp.jobs.context import JobCancelled, JobContext, LeaseLost, WorkerStopping
from webapp.jobs.models import Job
from webapp.jobs.parts import failures_of, hand_out, has_failed_parts
from webapp.jobs.registry import Parts, is_gone, kind_named
from webapp.jobs.stopping import Stopping

logger = logging.getLogger(__name__)
# A job whose worker vanishes this often without a checkpoint is what kills the worker: too much memory, most often.
MOST_VANISHED = 3
# A body without progress loses its job this long after its worker was asked to stop.
GIVE_BACK_AFTER_SECONDS = 6.0
# How often a worker checks whether it must end, and tries to write to a database that does not respond.
_LOOK_EVERY_SECONDS = 1.0

Ending = Callable[[], object]


@in_english
def run(job: Job, *, stopping: Stopping | None = None) -> None:
    """Run a job that the caller has claimed, and write down how it ended. What it logs carries the reference of the
    request that started the job, and what it writes is English."""
    told = stopping or Event()
    reference = request_id.begin(job.request_id or request_id.NONE)
    try:
        _write_down(job, _ending_of(job, told), told)
    except SystemExit:
        # A service manager signals every process, and those of a pool end at once, wherever they are.
        _close_connection()
        give_back(job)
        raise
    finally:
        request_id.end(reference)


def run_waiting() -> int:
    """Run all jobs that can be taken, one after the other, in this thread; how many were run."""
    count = 0
    while (job := claim_next()) is not None:
        run(job)
        count += 1
    return count


def _ending_of(job: Job, stopping: Stopping) -> Ending:
    if job.cancel_requested or is_gone(job.benchmark):
        return partial(finish_cancelled, job)
    if stopping.is_set():
        return partial(give_back, job)
    if job.vanished >= MOST_VANISHED:
        return partial(
            finish_failed,
            job,
            f"The worker stopped {job.vanished} times during this job. It may need more memory than is available.",
        )
    with _lease_kept(job, stopping):
        return _run_body(job, JobContext(job, stopping=stopping))


def _run_body(job: Job, context: JobContext) -> Ending:
    """Do the work; what is to be written down about its end."""
    try:
        result = kind_named(job.kind).body(context, **job.payload)
    except JobCancelled:
        return partial(finish_cancelled, job)
    except WorkerStopping:
        return partial(give_back, job)
    except LeaseLost:
        logger.warning("Job %s (%s) was taken over by another worker; this one stops.", job.pk, job.kind)
        return lambda: None
    except Exception as error:
        outage = outage_of(error)
        if outage is not None:
            logger.warning("Job %s (%s) is postponed: %s", job.pk, job.kind, outage.reason, exc_info=True)
            _close_connection()
            return partial(postpone, job, outage)
        if isinstance(error, ApplicationError):
            # A person can act on it, except on an error of the server.
            ending = finish_rejected if error.status < HTTPStatus.INTERNAL_SERVER_ERROR else finish_failed
            return partial(ending, job, error.message)
        logger.exception("Job %s (%s) broke", job.pk, job.kind)
        return partial(finish_failed, job, _fault(error, job))
    if isinstance(result, Parts):
        return partial(_hand_out, job, result)
    if failures := failures_of(job):
        return partial(finish_failed if has_failed_parts(job) else finish_rejected, job, failures)
    # A finished job shows full progress, whatever the last report of the body.
    whole = Coalesce(F("total"), F("done"))
    return partial(finish, job, Job.State.DONE, result=result or {}, result_url=context.result_url, done=whole)


def _hand_out(job: Job, parts: Parts) -> None:
    if not hand_out(job, parts):
        finish_cancelled(job)


def _close_connection() -> None:
    """Close the connection, whose last operation may have been interrupted: the next statement opens another one."""
    if not connection.in_atomic_block:
        connection.close()


def _fault(error: Exception, job: Job) -> str:
    return f"Internal error ({type(error).__name__}). See job {job.pk} in the worker log."


def _write_down(job: Job, ending: Ending, stopping: Stopping) -> None:
    """Write the end of a job. While the database does not answer, try again: only this process knows how the job ended.

    A result that cannot be written, for example because it is not JSON, is a program error."""
    while True:
        try:
            ending()
        except Exception as error:
            if outage_of(error) is None:
                logger.exception("The end of job %s (%s) cannot be written", job.pk, job.kind)
                finish_failed(job, _fault(error, job))
                return
            logger.warning("The end of job %s cannot be written; trying again: %s", job.pk, error)
            _close_connection()
        else:
            return
        if stopping.is_set():
            return
        time.sleep(_LOOK_EVERY_SECONDS)


@contextmanager
def _lease_kept(job: Job, stopping: Stopping) -> Iterator[None]:
    """Renew the lease from a separate thread, so that a long step is not mistaken for a lost worker."""
    ended = Event()
    thread = Thread(
        target=copy_context().run, args=(_renew_until, job, ended, stopping), name=f"lease of {job.pk}", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _renew_until(job: Job, ended: Event, stopping: Stopping) -> None:
    """Renew the lease; also release the job if its worker must end and the body does not reach its next progress."""
    every = settings.JOB_LEASE_SECONDS / 3
    due, deadline = time.monotonic() + every, float("inf")
    try:
        while not ended.wait(min(every, _LOOK_EVERY_SECONDS)):
            now = time.monotonic()
            if stopping.is_set():
                deadline = min(deadline, now + GIVE_BACK_AFTER_SECONDS)
            try:
                if now >= deadline:
                    give_back(job)
                    return
                if now >= due:
                    if not renew(job):
                        return
                    due = now + every
            except DatabaseLayerError:
                logger.warning("The lease of job %s could not be renewed; trying again.", job.pk, exc_info=True)
                connection.close()
    finally:
        connection.close()
