"""The one Celery task: the message of every job, whatever its kind. Known to others by its name only."""

from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down

from webapp.jobs.claim import claim, new_worker
from webapp.jobs.runner import run
from webapp.jobs.sweeper import Sweeper

_sweepers: list[Sweeper] = []


@shared_task(name="webapp.jobs.run", ignore_result=True)
def run_job(job_id: str) -> None:
    """Run the job, unless it is over or another worker has it."""
    job = claim(job_id, worker=new_worker())
    if job is not None:
        run(job)


@worker_ready.connect
def start_sweeper(**_: Any) -> None:
    sweeper = Sweeper()
    _sweepers.append(sweeper)
    sweeper.start()


@worker_shutting_down.connect
def stop_sweeper(**_: Any) -> None:
    while _sweepers:
        _sweepers.pop().stop()
