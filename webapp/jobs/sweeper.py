"""Finding what no message will bring: jobs whose message was lost, whose worker vanished, or which are long over; and
what others have swept each hour or minute."""

import logging
from datetime import datetime, timedelta
from threading import Event, Lock, Thread

from django.conf import settings
from django.db import Error as DatabaseLayerError
from django.db import connection, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from webapp.accounts.actions import delete_ended_sessions
from webapp.common.clock import from_now
from webapp.common.limits import sweep_counts
from webapp.common.locks import lock_rows
from webapp.jobs.messages import send
from webapp.jobs.models import Job
from webapp.jobs.parts import go_on_with_parents
from webapp.jobs.registry import MINUTE_SWEEPS, SWEEPS

logger = logging.getLogger(__name__)
# A message is given this long to be worked off before it is taken for lost.
_LOST_AFTER = timedelta(seconds=30)
_AT_ONCE = 200


def resend(*, all_queued: bool = False) -> int:
    """Send jobs that wait without a recent message, and jobs whose lease is over; how many.

    A message too many is harmless: only one worker can claim the job.
    """
    unsent = Q(sent_at=None) | Q(sent_at__lt=from_now(-_LOST_AFTER))
    waiting = Job.objects.due() if all_queued else Job.objects.due().filter(unsent)
    # Parts without a message wait for their turn.
    waiting = waiting.exclude(parent__isnull=False, sent_at=None)
    lost = waiting | Job.objects.expired().filter(unsent | Q(sent_at__lt=from_now(timedelta(seconds=-2))))
    ids = list(lost.oldest_first().values_list("pk", flat=True)[:_AT_ONCE])
    with transaction.atomic():
        Job.objects.filter(pk__in=lock_rows(Job.objects.filter(pk__in=ids))).update(sent_at=Now())
    for job_id in ids:
        send(job_id)
    return len(ids)


def prune(now: datetime) -> int:
    """Delete jobs that have been over for longer than the settings keep them; how many rows went."""
    return Job.objects.finished_before(now - timedelta(days=settings.JOB_KEEP_DAYS)).delete()[0]


def sweep(now: datetime) -> None:
    """All that is done each hour. A file that cannot be removed now is tried again in an hour."""
    go_on_with_parents()
    for each in (prune, delete_ended_sessions, sweep_counts, *SWEEPS):
        try:
            each(now)
        except OSError:
            logger.warning("Files could not be swept; trying again in an hour.", exc_info=True)


def sweep_each_minute(now: datetime) -> None:
    """All that is done each minute."""
    for each in MINUTE_SWEEPS:
        each(now)


class Schedule:
    """Runs the sweeps when they are due, at once at first; of several threads one runs each."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._last: dict[timedelta, datetime] = {}

    def run(self, now: datetime) -> None:
        for every, each in ((timedelta(hours=1), sweep), (timedelta(minutes=1), sweep_each_minute)):
            with self._lock:
                due = every not in self._last or now - self._last[every] >= every
                if due:
                    self._last[every] = now
            if due:
                try:
                    each(now)
                except Exception:
                    # The next round tries it again, as if it had not been its time yet.
                    with self._lock:
                        del self._last[every]
                    raise


class Sweeper(Thread):
    """Sends what was lost each second, and sweeps when it is time; runs in each worker of the broker."""

    def __init__(self) -> None:
        super().__init__(name="sweeper of jobs", daemon=True)
        self._ended = Event()

    def run(self) -> None:
        first, schedule = True, Schedule()
        while True:
            try:
                go_on_with_parents()
                resend(all_queued=first)
                first = False
                schedule.run(timezone.now())
            except DatabaseLayerError:
                logger.warning("The sweeper could not read the jobs; trying again.", exc_info=True)
                connection.close()
            if self._ended.wait(1):
                connection.close()
                return

    def stop(self) -> None:
        self._ended.set()
