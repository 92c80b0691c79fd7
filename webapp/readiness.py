"""Readiness of this process: ``/ready``. ``/live`` only shows that the process is running, and checks nothing.

A process that is not live must be restarted; one that is not ready must get no requests for the moment.
"""

from __future__ import annotations

import logging
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from threading import Lock

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from webapp import VERSION
from webapp.common import objects

PROBE_SECONDS = 2.0
KEPT_SECONDS = 5.0
"""The time for which an answer is reused, because everyone may ask, and each check costs a query, a file and a
connection.
"""
WRITTEN = b"\0" * 65536
"""More bytes than a file system stores in its metadata, so that a full disk rejects them."""

Probe = Callable[[], str]
"""Returns the problem as text, without addresses or names of people; "" if there is none."""

logger = logging.getLogger(__name__)


def database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        connection.close()
    return ""


_MIGRATED = False


def migrations() -> str:
    """Check migrations until they are complete: the code of a process does not change."""
    global _MIGRATED
    try:
        executor = MigrationExecutor(connection)
        _MIGRATED = _MIGRATED or not executor.migration_plan(executor.loader.graph.leaf_nodes())
    finally:
        connection.close()
    return "" if _MIGRATED else "the database lacks migrations"


def storage() -> str:
    """Check the storage of images and of uploads."""
    name = f"ready/{secrets.token_hex(8)}"
    objects.put(name, WRITTEN)
    objects.delete(name)
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(WRITTEN)
        os.fsync(file.fileno())
    return ""


def broker() -> str:
    if settings.CELERY_BROKER_URL == "memory://":
        return ""
    from webapp.celery import app

    with app.connection_for_write() as opened:
        opened.ensure_connection(max_retries=1, timeout=PROBE_SECONDS)
    return ""


class Readiness:
    """The probes, each in a separate thread, so that a hanging one delays the answer only briefly."""

    def __init__(self, probes: Mapping[str, Probe]) -> None:
        self._probes = probes
        self._pool = ThreadPoolExecutor(len(probes), thread_name_prefix="probe")
        self._running: dict[str, Future[str]] = {}
        self._lock = Lock()
        self._last: tuple[float, dict[str, str]] | None = None

    def check(self) -> dict[str, str]:
        """Return the problems by probe; empty if there are none."""
        with self._lock:
            if self._last is None or time.monotonic() - self._last[0] > KEPT_SECONDS:
                self._last = time.monotonic(), self._asked()
            return self._last[1]

    def _asked(self) -> dict[str, str]:
        for name, probe in self._probes.items():
            if name not in self._running:
                # Run with the context of the request, which shows that a person or a proxy waits for the answer.
                self._running[name] = self._pool.submit(copy_context().run, probe)
        done, _ = wait(self._running.values(), timeout=PROBE_SECONDS)
        found = {name: self._said(name, future) for name, future in self._running.items()}
        # A hanging probe is not started again before it ends, so it uses a single thread.
        self._running = {name: future for name, future in self._running.items() if future not in done}
        return {name: words for name, words in found.items() if words}

    def _said(self, name: str, future: Future[str]) -> str:
        if not future.done():
            return f"no answer within {PROBE_SECONDS:g} s"
        problem = future.exception()
        if problem is None:
            return future.result()
        logger.warning("Not ready: %s: %s", name, str(problem).strip() or type(problem).__name__)
        return "does not work; the log says why"


READINESS = Readiness({"database": database, "migrations": migrations, "storage": storage, "broker": broker})


@never_cache
@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """Return 200 if requests can be answered, and 503 with the problems otherwise."""
    wrong = READINESS.check()
    words = {"status": "not ready" if wrong else "ready", "wrong": wrong, "version": VERSION}
    return JsonResponse(words, status=503 if wrong else 200)
