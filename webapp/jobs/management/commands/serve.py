"""manage.py serve: the site, with a worker in the same process on the embedded default."""

from __future__ import annotations

import os
import socket
from argparse import ArgumentParser
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from webapp import env
from webapp.accounts.links import set_up_path
from webapp.accounts.models import User
from webapp.common.databases import refuse_old_tables
from webapp.common.static import collect
from webapp.env import PROGRAM
from webapp.jobs.server import serve


class Command(BaseCommand):
    help = "Serve the site. On the embedded default: bring the database up to date first, and run the worker too."
    # The checks run below, after what they look at is there.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=settings.HOST, help="Address to listen on (HOST).")
        parser.add_argument("--port", type=int, default=settings.PORT, help="Port to listen on (PORT).")
        parser.add_argument("--no-worker", action="store_true", help=f"Run no jobs. Start {PROGRAM} worker for them.")
        parser.add_argument("--collected", action="store_true", help="Skip collectstatic. It must have run before.")

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        memory_broker = settings.CELERY_BROKER_URL == "memory://"
        if memory_broker and settings.WEB_PROCESSES > 1:
            raise CommandError(
                "WEB_CONCURRENCY is above 1: several web processes need DATABASE_URL, CELERY_BROKER_URL and a worker."
            )
        bound = self._bind(host, port)
        if env.is_embedded():
            call_command("migrate", verbosity=0, interactive=False)
        refuse_old_tables()
        if not options["collected"]:
            collect()
        workers = settings.WORKER_THREADS if memory_broker and not options["no_worker"] else 0
        self._warn_of_public(host)
        # Before the processes start: they answer requests only.
        set_up = "" if User.objects.exists() else set_up_path()
        # Threads and processes open separate connections.
        connections.close_all()

        def ready() -> None:
            shown = "localhost" if host in {"127.0.0.1", "0.0.0.0", "::", "::1"} else host
            self.stdout.write(f"Sightline is running at http://{shown}:{port}/ (stop it with Ctrl-C)")
            if set_up:
                address = settings.SITE_URL or f"http://{shown}:{port}"
                self.stdout.write(f"There are no accounts yet. Create the first one at {address}{set_up}")
            self.stdout.flush()

        serve(bound, processes=settings.WEB_PROCESSES, worker_threads=workers, ready=ready)

    def _warn_of_public(self, host: str) -> None:
        """Passwords and sessions cross the network unencrypted."""
        if settings.TRUSTED_PROXIES or _is_loopback(host):
            return
        self.stderr.write(
            f"Warning: other machines can reach {host}, and nothing is encrypted. Put a proxy with https in front and "
            "set SIGHTLINE_HTTPS and SIGHTLINE_PROXIES, or listen on 127.0.0.1."
        )

    def _bind(self, host: str, port: int) -> socket.socket:
        """Before the database is touched: a port in use is another server, perhaps on the same home folder. It listens
        only once it can answer."""
        # Named TCP, or asyncio lets the system hold back the small pieces of an answer for 40 ms (Nagle's algorithm).
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if os.name == "posix":
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind((host, port))
        except OSError as error:
            bound.close()
            raise CommandError(
                f"Port {port} of {host} cannot be used ({error.strerror}). Choose another with --port."
            ) from error
        return bound


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
