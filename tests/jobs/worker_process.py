"""A worker as a process of its own, for the tests that kill it: python -m tests.jobs.worker_process QUEUE."""

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")


def main() -> None:
    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    import tests.jobs.bodies

    assert tests.jobs.bodies.count
    if settings.CELERY_BROKER_URL != "memory://":
        from webapp.celery import app

        # A queue of its own: the broker may be shared with others.
        app.conf.task_default_queue = sys.argv[1]
    call_command("worker", "--threads", "2")


if __name__ == "__main__":
    main()
