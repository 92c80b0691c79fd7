"""Celery, for separate worker processes on Redis or RabbitMQ. Not loaded on the embedded default."""

import logging
import os
from uuid import UUID

from celery import Celery
from kombu.exceptions import OperationalError

from webapp import env

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
env.prepare_home()

# A kept connection may have been closed by a broker that was restarted; a second try opens a new one.
_ONCE_MORE = {"max_retries": 1, "interval_start": 0, "interval_step": 0.2}

logger = logging.getLogger(__name__)
app = Celery("sightline")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["webapp.jobs"])


def send(job_id: UUID) -> None:
    """Tell a worker of the job. When the broker does not answer, the sweeper of a worker sends it later."""
    try:
        app.signature("webapp.jobs.run", args=[str(job_id)]).apply_async(retry=True, retry_policy=_ONCE_MORE)
    except OperationalError:
        logger.warning("The broker did not take the message of job %s; it is sent again.", job_id, exc_info=True)
