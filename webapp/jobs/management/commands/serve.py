"""manage.py serve: the site, with a worker in the same process on the embedded default."""

from __future__ import annotations

import socket
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from webapp import env
from webapp.common.databases import refuse_old_tables
from webapp.common.static import collect
from webapp.jobs.server import WebServer


class Command(BaseCommand):
    help = "Serve the site. On the embedded default: bring the database up to date first, and run the worker too."
    # The checks run below, after what they look at is there.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=settings.HOST, help="Address to listen on (HOST).")
        parser.add_argument("--port", type=int, default=settings.PORT, help="Port to listen on (PORT).")
        parser.add_argument("--no-worker", action="store_true", help="Leave the jobs to manage.py worker.")

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        self._refuse_taken_port(host, port)
        if env.is_embedded():
            call_command("migrate", verbosity=0, interactive=False)
        refuse_old_tables()
        collect()
        # Connections and threads do not survive the fork of the server.
        connections.close_all()
        memory_broker = settings.CELERY_BROKER_URL == "memory://"
        workers = settings.WORKER_THREADS if memory_broker and not options["no_worker"] else 0

        def ready() -> None:
            shown = "localhost" if host in {"127.0.0.1", "0.0.0.0", "::", "::1"} else host
            self.stdout.write(f"Sightline answers at http://{shown}:{port}/ (Ctrl-C ends it)")
            self.stdout.flush()

        WebServer(host=host, port=port, threads=settings.WEB_THREADS, worker_threads=workers, ready=ready).run()

    def _refuse_taken_port(self, host: str, port: int) -> None:
        """Say at once what gunicorn would try five times."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                raise CommandError(
                    f"Port {port} of {host} cannot be used ({error.strerror}). Choose another with --port."
                ) from error
