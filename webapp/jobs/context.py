"""The context of a job's body: its checkpoint, and methods to report progress."""

from __future__ import annotations

import time
from functools import cached_property
from threading import Event
from typing import Any

from django.db.models import IntegerField, Value
from django.db.models.functions import Least

from webapp.jobs.claim import lease_end
from webapp.jobs.models import Job, JobLog
from webapp.jobs.parts import say
from webapp.jobs.stopping import Stopping


class JobInterrupted(Exception):
    """The body must end now; it lets this pass through, so that its open transaction is rolled back."""


class JobCancelled(JobInterrupted):
    """A person stopped the job."""


class LeaseLost(JobInterrupted):
    """Another worker has taken the job over."""


class WorkerStopping(JobInterrupted):
    """The worker is stopping; the job goes back into the queue."""


class JobContext:
    """The argument of a job's body. progress(), save() and checkpoint() raise JobInterrupted if the body has to stop.

    progress() writes a row at most twice a second, for any number of calls.
    """

    write_every_seconds = 0.5

    def __init__(self, job: Job, *, stopping: Stopping | None = None) -> None:
        self.job = job
        self.state: dict[str, Any] = job.checkpoint
        self.result_url = ""
        self._stopping = stopping or Event()
        self._written = float("-inf")

    @cached_property
    def parts(self) -> list[Job]:
        """The parts that the body has assigned: all of them have ended."""
        return list(self.job.parts.oldest_first().only("payload", "state", "parent"))

    def progress(self, done: int, total: int | None = None, *, unit: str = "") -> None:
        """Say that `done` of `total` are done, and stop here when a person asked for it."""
        if self._stopping.is_set():
            raise WorkerStopping
        total = self.job.total if total is None else total
        recent = time.monotonic() - self._written < self.write_every_seconds
        if recent and done != total and total == self.job.total:
            return
        self.job.total = total
        self._write(done=done, total=total, **({"unit": unit} if unit else {}), **self._begun(done))
        self._written = time.monotonic()

    def save(self, state: dict[str, Any], *, done: int | None = None) -> None:
        """Save the checkpoint. Call it inside the transaction of the writes that it covers.

        Both are then saved, or neither: after a crash the next worker continues from ``state``, with nothing lost or
        repeated. A worker that lost its job gets LeaseLost, which rolls its writes back. The counts of lost workers and
        outages restart here.
        """
        if self._stopping.is_set():
            raise WorkerStopping
        counted = {} if done is None else {"done": done, **self._begun(done)}
        self._write(checkpoint=state, vanished=0, failures=0, failing_since=None, **counted)
        self.state, self.job.failures = state, 0

    def checkpoint(self) -> None:
        """Record progress like ``save``, for a body that keeps its position in the rows that it writes."""
        self.save(self.state)

    def log(self, text: str, *, level: str = JobLog.Level.INFO) -> None:
        """Add a line to the log of the job; inside a transaction it is kept only if that is."""
        say(self.job, text, level=level)

    def warn(self, text: str) -> None:
        self.log(text, level=JobLog.Level.WARNING)

    def _begun(self, done: int) -> dict[str, Any]:
        """A body without checkpoints begins again at 0; the estimate must not count from further on."""
        return {"done_at_start": Least("done_at_start", Value(done), output_field=IntegerField())}

    def _write(self, **fields: Any) -> None:
        held = Job.objects.filter(pk=self.job.pk).held_by(self.job.worker)
        if held.filter(cancel_requested=False).update(lease_until=lease_end(), **fields):
            return
        raise JobCancelled if held.exists() else LeaseLost
