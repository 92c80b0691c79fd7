"""Noticing that a server hangs: it keeps its connections open and says nothing on them.

Neither the network nor the driver can tell that from a statement that takes long. So a request that has waited for a
while asks whether the server takes a new connection at all. A server at work does, at once. Jobs wait as long as it
takes: nobody sits before them.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from threading import Lock
from typing import Any

import psycopg
from psycopg.errors import ConnectionTimeout

from webapp.common.request_id import answering

SILENCE_SECONDS = 2.0
"""So long a request waits before it asks, and between one time and the next."""
PROBE_SECONDS = 2
"""So long the server may take to let a new connection in; the driver takes no less."""
KNOWN_SECONDS = 1.0
"""So long a server that hangs is not asked again: whatever else the request needs of it fails at once."""
HANGS = "the server does not answer"


class Server:
    """What this process knows of a server."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        self._params = {**params, "connect_timeout": PROBE_SECONDS}
        self._lock = Lock()
        self._asked = self._hung = float("-inf")

    def refuse_if_hanging(self) -> None:
        """Raises ``psycopg.OperationalError`` where it hung a moment ago."""
        if time.monotonic() - self._hung < KNOWN_SECONDS:
            raise psycopg.OperationalError(HANGS)

    def hangs(self) -> bool:
        """Whether it lets a new connection wait; of threads that ask at once, one does."""
        called = time.monotonic()
        with self._lock:
            if self._asked < called:
                self._ask()
                self._asked = time.monotonic()
            return self._hung >= called

    def hung(self) -> None:
        """It let a connection wait just now."""
        self._hung = time.monotonic()

    def _ask(self) -> None:
        try:
            psycopg.connect(**self._params).close()
        except ConnectionTimeout:
            self.hung()
        except psycopg.Error:
            # It answered, if only that it has no room.
            return


class Connection(psycopg.Connection[Any]):
    """Ends when a request has waited for a server that hangs."""

    server: Server

    def wait(self, gen: Generator[Any, Any, Any], *args: Any, **options: Any) -> Any:
        if not answering():
            return super().wait(gen, *args, **options)
        try:
            return super().wait(_watched(gen, self.server), *args, **options)
        except _Hangs as error:
            self.close()
            raise psycopg.OperationalError(HANGS) from error


class _Hangs(Exception):
    pass


def _watched(gen: Generator[Any, Any, Any], server: Server) -> Generator[Any, Any, Any]:
    """The steps of ``gen``, which is told every tenth of a second whether something has come."""
    since = time.monotonic()
    try:
        wanted = next(gen)
        while True:
            come = yield wanted
            if come:
                since = time.monotonic()
            elif time.monotonic() - since > SILENCE_SECONDS:
                if server.hangs():
                    raise _Hangs
                since = time.monotonic()
            wanted = gen.send(come)
    except StopIteration as end:
        return end.value
