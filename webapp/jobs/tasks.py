"""The only Celery task: the message of every job of any kind. Other code refers to it by name only."""

import logging
import os
from threading import Timer
from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down
from django.db import Error as DatabaseLayerError

from webapp.common.outages import outage_of
from webapp.jobs.claim import claim, new_worker
from webapp.jobs.runner import GIVE_BACK_AFTER_SECONDS, run
from webapp.jobs.stopping import SharedFlag
from webapp.jobs.sweeper import Sweeper

logger = logging.getLogger(__name__)
# Created before the pool: Celery only asks its main process to stop, and jobs run in the processes of the pool.
_stopping = SharedFlag()
_sweepers: list[Sweeper] = []


@shared_task(name="webapp.jobs.run", ignore_result=True)
def run_job(job_id: str) -> None:
    """Run the job, unless it is over or another worker has it."""
    try:
        job = claim(job_id, worker=new_worker())
    except DatabaseLayerError as error:
        if outage_of(error) is None:
            raise
        logger.warning("Job %s cannot be claimed now; a sweeper sends it again.", job_id, exc_info=True)
        return
    if job is not None:
        run(job, stopping=_stopping)


@worker_ready.connect
def start_sweeper(**_: Any) -> None:
    sweeper = Sweeper()
    _sweepers.append(sweeper)
    sweeper.start()


@worker_shutting_down.connect
def stop(**_: Any) -> None:
    """Let the bodies stop at their next progress. A body that does not reach it loses its job when the process ends."""
    _stopping.set()
    while _sweepers:
        _sweepers.pop().stop()
    deadline = Timer(GIVE_BACK_AFTER_SECONDS + 2, os._exit, [0])
    deadline.daemon = True
    deadline.start()
