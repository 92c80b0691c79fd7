"""The worker of the embedded default: threads in the web process that use the same durable rows.

It is not a Celery worker in a thread. Celery expects the main thread of its process for its signals, gives up messages
of memory:// when it ends, and is a large machinery for a claim and a call. The claim, the lease, the bodies and the
ends of a job are the same code that a Celery worker runs.
"""

import logging
import time
from threading import Event, Lock, Thread

from django.db import Error as DatabaseLayerError
from django.db import close_old_connections, connection
from django.utils import timezone

from webapp.jobs.claim import claim_next, give_back
from webapp.jobs.messages import WAKE
from webapp.jobs.models import Job
from webapp.jobs.runner import run
from webapp.jobs.sweeper import Schedule

logger = logging.getLogger(__name__)


class EmbeddedWorker:
    """Runs up to `threads` jobs at the same time, until stop()."""

    idle_seconds = 1.0

    def __init__(self, threads: int) -> None:
        self._stopping = Event()
        self._lock, self._claiming = Lock(), Lock()
        self._held: dict[str, Job] = {}
        self._threads = [Thread(target=self._loop, name=f"worker {n + 1}", daemon=True) for n in range(threads)]
        self._schedule = Schedule()

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self, seconds: float = 2.0) -> None:
        """Ask the bodies to stop at their next progress, then release the jobs that are still held.

        Later writes of a body are rejected, because its claim is no longer valid; the next start continues the job.
        """
        self._stopping.set()
        WAKE.set()
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        with self._lock:
            held = list(self._held.values())
        for job in held:
            give_back(job)

    def _loop(self) -> None:
        while not self._stopping.is_set():
            WAKE.clear()
            try:
                busy = self._run_next()
            except DatabaseLayerError:
                logger.warning("The worker could not reach the database; trying again.", exc_info=True)
                connection.close()
                busy = False
            if not busy and not self._stopping.is_set():
                WAKE.wait(self.idle_seconds)
        connection.close()

    def _run_next(self) -> bool:
        close_old_connections()
        self._schedule.run(timezone.now())
        job = self._claim_next()
        if job is None:
            return False
        try:
            run(job, stopping=self._stopping)
        finally:
            with self._lock:
                del self._held[job.worker]
        return True

    def _claim_next(self) -> Job | None:
        """One part at a time: the threads share an interpreter, so two are no faster than one, and another job finds
        a free thread."""
        with self._claiming:
            with self._lock:
                held = list(self._held.values())
            job = claim_next(parts=not any(one.parent_id for one in held))
            if job is not None:
                with self._lock:
                    self._held[job.worker] = job
        return job
