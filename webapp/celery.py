"""Celery, for separate worker processes on Redis or RabbitMQ. Not loaded in the embedded default."""

import atexit
import logging
import os
from contextlib import suppress
from queue import Full, Queue
from threading import Lock, Thread
from uuid import UUID

from celery import Celery
from kombu.exceptions import OperationalError

from webapp import env

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
env.prepare_home()

# The broker may have closed a kept connection when it restarted; a second attempt opens a new one.
_ONCE_MORE = {"max_retries": 1, "interval_start": 0, "interval_step": 0.2}

logger = logging.getLogger(__name__)
app = Celery("sightline")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["webapp.jobs"])


class Publisher:
    """Sends messages from a separate thread, so that code that starts a job does not wait for the broker.

    Messages that don't fit while the broker hangs are dropped: the row of the job stays, and a sweeper sends it later.
    """

    def __init__(self, to: Celery, most: int = 1000) -> None:
        self._to = to
        self._waiting: Queue[UUID] = Queue(most)
        self._begin = Lock()
        self._thread: Thread | None = None

    def put(self, job_id: UUID) -> None:
        with self._begin:
            if self._thread is None:
                self._thread = Thread(target=self._run, name="publisher of jobs", daemon=True)
                self._thread.start()
        with suppress(Full):
            self._waiting.put_nowait(job_id)

    def flush(self, seconds: float) -> bool:
        """Wait until everything is sent, for at most this time; return whether it is."""
        with self._waiting.all_tasks_done:
            return self._waiting.all_tasks_done.wait_for(lambda: not self._waiting.unfinished_tasks, seconds)

    def _run(self) -> None:
        while True:
            job_id = self._waiting.get()
            try:
                self._publish(job_id)
            finally:
                self._waiting.task_done()

    def _publish(self, job_id: UUID) -> None:
        try:
            self._to.signature("webapp.jobs.run", args=[str(job_id)]).apply_async(retry=True, retry_policy=_ONCE_MORE)
        except OperationalError as error:
            logger.warning("The broker did not take the message of job %s; a sweeper sends it again: %s", job_id, error)
        except Exception:
            # This thread continues after any error of a driver.
            logger.exception("The message of job %s was not sent; a sweeper sends it again.", job_id)


def send(job_id: UUID) -> None:
    """Notify a worker of the job, as soon as the broker accepts the message."""
    _publisher.put(job_id)


def _start_afresh() -> None:
    """Start again in a forked process, because the thread has stayed in the other one."""
    global _publisher
    _publisher = Publisher(app)


_publisher = Publisher(app)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)
# A command that started a job may end before its message is sent.
atexit.register(lambda: _publisher.flush(2))
