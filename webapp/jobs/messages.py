"""Telling a worker that a job waits. A hint only: a message that is lost costs a second, not the job."""

from threading import Event
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

# Set when this process queues a job. The worker in the web process waits for it.
WAKE = Event()


def send(job_id: UUID) -> None:
    """Send by the way the settings name: to the worker in this process, or by the broker."""
    import_string(settings.JOB_MESSENGER)(job_id)


def wake_embedded(job_id: UUID) -> None:
    WAKE.set()
