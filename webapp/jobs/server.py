"""The built-in web server: gunicorn, one process, request threads, and the worker of the embedded default beside them.

One process keeps the memory low and lets the worker hear of a new job at once; the master process only watches it
and starts another should it die. Several web processes behind a proxy run gunicorn on webapp.wsgi themselves.
"""

from __future__ import annotations

import gc
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver
from gunicorn.app.base import BaseApplication

from webapp.jobs.embedded import EmbeddedWorker

# Everything has to end within the three seconds after which a person presses Ctrl-C again. The worker is stopped inside
# the time of the requests; a process that is killed over a long request leaves its jobs to the end of their lease.
_STOP_REQUESTS_SECONDS = 2
_STOP_WORKER_SECONDS = 1.2


class WebServer(BaseApplication):
    """Serves the site until SIGINT or SIGTERM, and calls `ready` with the address once it listens."""

    def __init__(self, *, host: str, port: int, threads: int, worker_threads: int, ready: Any) -> None:
        self._worker: EmbeddedWorker | None = None
        self._options = {
            "bind": f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
            "workers": 1,
            "worker_class": "gthread",
            "threads": threads,
            "graceful_timeout": _STOP_REQUESTS_SECONDS,
            # A thread that works long must not have its process killed; gthread reports from its main thread.
            "timeout": 120,
            "keepalive": 5,
            "loglevel": settings.LOG_LEVEL.lower(),
            "proc_name": "sightline",
            "control_socket_disable": True,
            # Loaded once, before the fork: the two processes share the pages of the program.
            "preload_app": True,
            "when_ready": lambda server: ready(),
            "post_worker_init": lambda process: self._start_worker(worker_threads),
            "worker_exit": lambda server, process: self._stop_worker(),
        }
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        application = get_wsgi_application()
        get_resolver().url_patterns  # noqa: B018 - loads the pages now, before the fork, not with the first request
        # Collecting would write to every page that holds an object, and so unshare it.
        gc.collect()
        gc.freeze()
        return application

    def _start_worker(self, threads: int) -> None:
        if threads:
            self._worker = EmbeddedWorker(threads)
            self._worker.start()

    def _stop_worker(self) -> None:
        if self._worker is not None:
            self._worker.stop(_STOP_WORKER_SECONDS)
