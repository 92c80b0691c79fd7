"""manage.py worker: a process that runs jobs and nothing else."""

from __future__ import annotations

import signal
from argparse import ArgumentParser
from threading import Event
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connections
from django.utils.module_loading import import_string

from webapp.common.databases import refuse_old_tables
from webapp.jobs.embedded import EmbeddedWorker


class Command(BaseCommand):
    help = "Run jobs: a Celery worker on the broker, or threads on the database where the broker is memory://."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--threads", type=int, default=settings.WORKER_THREADS, help="Jobs at the same time.")

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_old_tables()
        connections.close_all()
        if settings.CELERY_BROKER_URL == "memory://":
            self._run_on_rows(options["threads"])
        else:
            self._run_on_broker(options["threads"])

    def _run_on_rows(self, threads: int) -> None:
        ended = Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: ended.set())
        worker = EmbeddedWorker(threads)
        worker.start()
        self.stdout.write(f"The worker runs {threads} jobs at the same time (stop it with Ctrl-C)")
        self.stdout.flush()
        ended.wait()
        worker.stop()

    def _run_on_broker(self, processes: int) -> None:
        app = import_string("webapp.celery.app")
        app.worker_main(
            [
                "worker",
                "--concurrency",
                str(processes),
                "--loglevel",
                settings.LOG_LEVEL,
                "--without-mingle",
                "--without-gossip",
            ]
        )
