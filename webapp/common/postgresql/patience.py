"""Detecting a server that hangs: it keeps its connections open and sends nothing.

Neither the network nor the driver can distinguish this from a slow statement. A request that has waited for a while
therefore sends the smallest query on a new connection. A working server answers at once. A pooler accepts the
connection itself, but cannot answer: it stays silent while all of its connections to the server are in use. This is no
outage: the request fails because the database is busy, and other requests continue to try. Jobs wait without a limit,
because no person waits for them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from threading import Lock
from typing import Any

import psycopg
from psycopg.errors import ConnectionTimeout, TooManyConnections

from webapp.common.request_id import answering, current

SILENCE_SECONDS = 2.0
"""So long a request waits before it asks, and between one time and the next."""
PROBE_SECONDS = 2
"""So long the server may take to let a new connection in and answer on it; the driver takes no less."""
KNOWN_SECONDS = 1.0
"""For this time, a hanging server is not tried again: other queries of requests fail at once."""
HANGS = "the server does not answer"
BUSY = "no connection of the pooler is free"


class Server:
    """The state of a server, as known to this process."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        self._params = {**params, "connect_timeout": PROBE_SECONDS, "autocommit": True}
        self._lock = Lock()
        self._asked = self._hung = self._silent = float("-inf")
        self._gave_up: dict[str, float] = {}

    def refuse_if_hanging(self) -> None:
        """Raises ``psycopg.OperationalError`` if the server recently hung, or was busy for this same request."""
        now = time.monotonic()
        if now - self._hung < KNOWN_SECONDS:
            raise psycopg.OperationalError(HANGS)
        if now - self._gave_up.get(current(), float("-inf")) < KNOWN_SECONDS:
            raise TooManyConnections(BUSY)

    def hangs(self) -> bool:
        """Whether it lets a new connection or its first statement wait; of threads that ask at once, one does."""
        called = time.monotonic()
        with self._lock:
            if self._asked < called:
                self._ask()
                self._asked = time.monotonic()
            return max(self._hung, self._silent) >= called

    def hung(self) -> None:
        """It let a connection wait just now."""
        self._hung = time.monotonic()

    def failure(self) -> psycopg.OperationalError:
        """The message for a request that waited for it."""
        if self._hung >= self._silent:
            return psycopg.OperationalError(HANGS)
        now = time.monotonic()
        with self._lock:
            self._gave_up = {one: at for one, at in self._gave_up.items() if now - at < KNOWN_SECONDS} | {
                current(): now
            }
        return TooManyConnections(BUSY)

    def _ask(self) -> None:
        end = time.monotonic() + PROBE_SECONDS
        try:
            with closing(_Probe.connect(**self._params)) as probe:
                probe.end = end
                probe.execute("SELECT 1")
        except ConnectionTimeout:
            self.hung()
        except _Hangs:
            self._silent = time.monotonic()
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
            return super().wait(_watched(gen, SILENCE_SECONDS, self.server.hangs), *args, **options)
        except _Hangs as error:
            self.close()
            raise self.server.failure() from error


class _Probe(psycopg.Connection[Any]):
    """Waits until ``end`` and no longer."""

    end: float

    def wait(self, gen: Generator[Any, Any, Any], *args: Any, **options: Any) -> Any:
        return super().wait(_watched(gen, self.end - time.monotonic(), lambda: True), *args, **options)


class _Hangs(Exception):
    pass


def _watched(gen: Generator[Any, Any, Any], seconds: float, hangs: Callable[[], bool]) -> Generator[Any, Any, Any]:
    """The steps of ``gen``, which learns every tenth of a second whether data has arrived.

    Raises ``_Hangs`` if no data arrived for ``seconds`` and the server ``hangs``."""
    since = time.monotonic()
    try:
        wanted = next(gen)
        while True:
            come = yield wanted
            if come:
                since = time.monotonic()
            elif time.monotonic() - since > seconds:
                if hangs():
                    raise _Hangs
                since = time.monotonic()
            wanted = gen.send(come)
    except StopIteration as end:
        return end.value
