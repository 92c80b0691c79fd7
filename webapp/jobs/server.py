"""Starting the web server: one process with the embedded worker, or several.

Another process watches several ones, each from ``webapp.asgi``, and replaces one that dies. A single process is not
watched: a service manager or container restarts it.
"""

from __future__ import annotations

import gc
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver
from uvicorn.supervisors import Multiprocess

from webapp.jobs.embedded import EmbeddedWorker
from webapp.server.protocol import MOST_HEAD_BYTES, PatientProtocol
from webapp.server.site import Site

# Everything has to end within the three seconds after which a person presses Ctrl-C again. A process that is killed
# over a long request or job leaves its jobs to the end of their lease.
_STOP_REQUESTS_SECONDS = 1
_STOP_WORKER_SECONDS = 1.2
_HEALTH_SECONDS = 30
"""A process of several that says nothing for so long is replaced."""
_FILES = 4096


class _Worker(EmbeddedWorker):
    def stop(self, seconds: float = _STOP_WORKER_SECONDS) -> None:
        super().stop(seconds)


class _Server(uvicorn.Server):
    """Calls ``ready`` once it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def site(worker_threads: int = 0) -> Site:
    """The application of this process, loaded now and not with the first request."""
    application = get_wsgi_application()
    get_resolver().url_patterns  # noqa: B018 - loads the pages
    # Loaded objects stay, so the collector need not scan them repeatedly.
    gc.collect()
    gc.freeze()
    worker = _Worker(worker_threads) if worker_threads else None
    return Site(application, threads=settings.WEB_THREADS, worker=worker)


def serve(bound: socket.socket, *, processes: int, worker_threads: int, ready: Callable[[], None]) -> None:
    """Serve the site on this socket until SIGINT or SIGTERM, and call ``ready`` when it is about to answer."""
    _allow_many_connections()
    application: Site | str = "webapp.asgi:application" if processes > 1 else site(worker_threads)
    config = uvicorn.Config(
        application,
        interface="asgi3",
        workers=processes,
        loop="asyncio",
        http=PatientProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        # Django reads X-Forwarded-For and -Proto itself, as far as the settings say that a proxy of ours wrote them.
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=_STOP_REQUESTS_SECONDS,
        timeout_worker_healthcheck=_HEALTH_SECONDS,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
    )
    if processes > 1:
        # Clients that connect from now on wait for the first process.
        bound.listen(config.backlog)
        ready()
        Multiprocess(config, sockets=[bound]).run()
        return
    with suppress(KeyboardInterrupt):
        _Server(config, ready).run(sockets=[bound])


def _allow_many_connections() -> None:
    """Each connection is an open file, and some systems allow a process 256 unless it asks for more."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    PatientProtocol.most_connections = max(64, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
