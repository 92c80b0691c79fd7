"""The site as an ASGI application: Django, which is written for threads, behind an event loop that waits for clients.

A request uses one of ``threads`` turns only when its body is complete, and releases it when its response is ready. The
loop sends the response at the client's pace. The loop itself answers ``/live``, however busy the threads are.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import chain
from typing import Any, Protocol
from urllib.parse import unquote_to_bytes

from django.core.handlers.wsgi import WSGIRequest
from django.db import close_old_connections

from webapp import VERSION
from webapp.accounts.senders import allowance_of
from webapp.common import request_id
from webapp.common.bodies import TOO_LARGE, Allowance
from webapp.common.errors import error_body
from webapp.common.http import address_behind
from webapp.common.streaming import gathered
from webapp.server.bodies import Bodies, Body, Gone, Refused, TooLarge

LIVE = "/live"
PATIENCE = 30.0
"""The maximum number of seconds that a request waits for its turn."""
STREAMS = 8
"""The maximum number of streamed responses. They use none of the turns."""
SENDER_SECONDS = 5.0
PIECE = 1 << 16
WHOLE = 1 << 20
PROMPT_SECONDS = 0.5
"""A streamed response that ends within these seconds and bytes is sent at once, when its thread is free."""
LINGER_SECONDS = 2.0
"""The time for which the rest of a rejected body is read and dropped: a client that is cut off may not see the
response.
"""
END_SECONDS = 1.0
BODILESS = (204, 304)

logger = logging.getLogger(__name__)
access = logging.getLogger("webapp.access")


class Worker(Protocol):
    """A background worker that runs from the first request to the last."""

    def start(self) -> None: ...

    def stop(self) -> None: ...


class Site:
    """The application for one process."""

    def __init__(self, wsgi: Callable[..., Iterable[bytes]], *, threads: int, worker: Worker | None = None) -> None:
        self.wsgi = wsgi
        self.pool = ThreadPoolExecutor(threads + STREAMS, thread_name_prefix="request")
        # A separate pool, so that a busy site can still determine who may send large bodies.
        self.askers = ThreadPoolExecutor(2, thread_name_prefix="sender")
        self.turns, self.streams = asyncio.Semaphore(threads), asyncio.Semaphore(STREAMS)
        self.bodies = Bodies()
        self._worker = worker

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await Exchange(self, scope, receive, send).run()

    async def _lifespan(self, receive: Any, send: Any) -> None:
        await receive()
        if self._worker is not None:
            self._worker.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        if self._worker is not None:
            await asyncio.to_thread(self._worker.stop)
        self.pool.shutdown(wait=False, cancel_futures=True)
        self.askers.shutdown(wait=False, cancel_futures=True)
        # Python waits for every thread before it ends, and a request may take minutes.
        last = threading.Timer(END_SECONDS, _end)
        last.daemon = True
        last.start()
        await send({"type": "lifespan.shutdown.complete"})


def _end() -> None:
    logging.shutdown()
    sys.stdout.flush()
    os._exit(0)


class Exchange:
    """One request and its response."""

    def __init__(self, site: Site, scope: Any, receive: Any, send: Any) -> None:
        self.site, self.scope, self.receive, self.send = site, scope, receive, send
        self.headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        self.reference = request_id.taken(self._header("x-request-id"))
        self.gone = threading.Event()
        self.status = self.sent = 0
        self._turn: asyncio.Semaphore | None = None
        self._watch: asyncio.Task[None] | None = None

    async def run(self) -> None:
        begun = time.monotonic()
        request_id.begin(self.reference)
        try:
            await self._answer()
        except (Gone, asyncio.CancelledError):
            # The client is gone, or the server ends. uvicorn closes open responses.
            self.gone.set()
        finally:
            self._end_turn()
            if self._watch is not None:
                self._watch.cancel()
            self._log(time.monotonic() - begun)

    async def _answer(self) -> None:
        if self.scope["path"] == LIVE and self.scope["method"] in ("GET", "HEAD"):
            await self._say(200, {"status": "alive", "version": VERSION}, {})
            return
        chunked = bool(self._header("transfer-encoding"))
        declared = None if chunked else int(self._header("content-length") or 0)
        reading = self.site.bodies.reading(self.receive, declared, self._allowance)
        try:
            await self._take_turn_with(await reading.whole())
        except TooLarge as problem:
            await self._refuse(problem)
        except Refused as problem:
            headers = {"Retry-After": "60"} if problem.status in (429, 503) else {}
            await self._say(problem.status, problem.message, {**headers, "Connection": "close"})
        finally:
            reading.close()

    async def _take_turn_with(self, body: Body) -> None:
        self._watch = asyncio.create_task(self._until_gone())
        await self._take_turn()
        await self._made_in_thread(self._environ(body))

    async def _refuse(self, problem: TooLarge) -> None:
        """Respond with Django's message; the client may need a moment to notice the response."""
        await self._take_turn()
        environ = self._environ(Body(open(os.devnull, "rb"), problem.size))  # noqa: PTH123, SIM115 - no path, no end
        environ[TOO_LARGE] = problem.limit
        with environ["wsgi.input"]:
            await self._made_in_thread(environ, last=False)
        try:
            async with asyncio.timeout(LINGER_SECONDS):
                while (await self.receive())["type"] != "http.disconnect":
                    pass
        except TimeoutError:
            pass
        await self.send({"type": "http.response.body"})

    async def _take_turn(self) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await self.site.turns.acquire()
        except TimeoutError:
            raise Refused(503, "The server is busy. Try again in a minute.") from None
        self._turn = self.site.turns
        if self.gone.is_set():
            raise Gone

    def _end_turn(self) -> None:
        if self._turn is not None:
            self._turn.release()
            self._turn = None

    async def _made_in_thread(self, environ: dict[str, Any], *, last: bool = True) -> None:
        loop = asyncio.get_running_loop()
        work = copy_context().run
        answer = await loop.run_in_executor(self.site.pool, work, self._work, environ, loop, last)
        self._end_turn()
        if answer is not None:
            await self._begin(*answer[:2], length=len(answer[2]), close=not last)
            await self._pieces(answer[2], last=last)

    def _work(self, environ: dict[str, Any], loop: Any, last: bool) -> tuple[int, Any, bytes] | None:
        """Return the response, in a thread; None if it was streamed."""
        begun: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            begun[:] = [int(status[:3]), headers]

        def ask(coroutine: Any) -> None:
            asyncio.run_coroutine_threadsafe(coroutine, loop).result()

        response = self.site.wsgi(environ, start_response)
        try:
            if not last or begun[0] in BODILESS or not getattr(response, "streaming", True):
                return begun[0], begun[1], b"".join(response)
            if self.scope["method"] == "HEAD":
                return begun[0], begun[1], b""
            pieces = gathered(iter(response))
            held, whole = _first(pieces)
            if whole:
                return begun[0], begun[1], held
            ask(self._begin_stream(*begun))
            for piece in chain([held], pieces):
                if self.gone.is_set():
                    # Not raised, because the response must be closed here, in the thread of its database connection.
                    return None
                ask(self._pieces(piece, last=False))
            ask(self._pieces(b"", last=True))
            return None
        finally:
            close = getattr(response, "close", None)
            if close is not None:
                close()

    async def _begin_stream(self, status: int, headers: Any) -> None:
        """Begin a streamed response. It takes as long as its client is slow, so it uses no turn of others. Raises
        ``Refused`` without room.
        """
        if self.site.streams.locked():
            raise Refused(503, "The server is sending too many files. Try again in a minute.")
        await self.site.streams.acquire()
        self._end_turn()
        self._turn = self.site.streams
        await self._begin(status, headers)

    async def _begin(self, status: int, headers: Any, length: int | None = None, *, close: bool = False) -> None:
        encoded = [(name.lower().encode("latin-1"), value.strip().encode("latin-1")) for name, value in headers]
        named = {name for name, _ in encoded}
        stated = length is not None and status not in BODILESS and self.scope["method"] != "HEAD"
        if stated and b"content-length" not in named:
            encoded.append((b"content-length", str(length).encode()))
        if close:
            encoded.append((b"connection", b"close"))
        self.status = status
        await self.send({"type": "http.response.start", "status": status, "headers": encoded})

    async def _pieces(self, data: bytes, *, last: bool) -> None:
        """Send chunk by chunk, each when the client has read most of the previous one."""
        self.sent += len(data)
        if self.scope["method"] == "HEAD" or self.status in BODILESS:
            data = b""
        for at in range(0, len(data), PIECE):
            await self.send({"type": "http.response.body", "body": data[at : at + PIECE], "more_body": True})
        if last:
            await self.send({"type": "http.response.body"})

    async def _say(self, status: int, content: dict[str, str] | str, headers: Mapping[str, str]) -> None:
        """Send a response without Django: JSON for programs, a sentence for people."""
        if isinstance(content, str) and self.scope["path"].startswith("/api/"):
            content = error_body("refused", content)
        kind = "text/plain; charset=utf-8" if isinstance(content, str) else "application/json"
        data = (content if isinstance(content, str) else json.dumps(content)).encode()
        named = {
            "Content-Type": kind, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
            "X-Request-Id": self.reference, **headers,
        }  # fmt: skip
        await self._begin(status, named.items(), len(data))
        await self._pieces(data, last=True)

    async def _until_gone(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass
        self.gone.set()

    async def _allowance(self) -> Allowance:
        """Return the allowance, in a thread, because it queries the database."""
        environ = self._environ(Body(open(os.devnull, "rb"), 0))  # noqa: PTH123, SIM115 - no path, no end
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(SENDER_SECONDS):
                return await loop.run_in_executor(self.site.askers, copy_context().run, _asked, environ)
        except TimeoutError:
            raise Refused(503, "No response from the database. Try again in a minute.") from None
        finally:
            environ["wsgi.input"].close()

    def _header(self, wanted: str) -> str:
        return next((value for name, value in self.headers if name == wanted), "")

    def _environ(self, body: Body) -> dict[str, Any]:
        """Return the request as a WSGI environment. A header name with an underscore could imitate one with a hyphen
        and is dropped.
        """
        host, port = self.scope["server"] or ("", 0)
        environ: dict[str, Any] = {
            "REQUEST_METHOD": self.scope["method"],
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(_path_of(self.scope["raw_path"])).decode("latin-1"),
            "QUERY_STRING": self.scope["query_string"].decode("latin-1"),
            "SERVER_PROTOCOL": f"HTTP/{self.scope['http_version']}",
            "SERVER_NAME": host,
            "SERVER_PORT": str(port),
            "REMOTE_ADDR": self.scope["client"][0] if self.scope["client"] else "",
            "CONTENT_LENGTH": str(body.size),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": body.file,
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
        }
        for name, value in self.headers:
            if "_" in name or name in ("content-length", "transfer-encoding", "x-request-id", "proxy", "connection"):
                continue
            key = "CONTENT_TYPE" if name == "content-type" else "HTTP_" + name.upper().replace("-", "_")
            between = "; " if name == "cookie" else ","
            environ[key] = f"{environ[key]}{between}{value}" if key in environ else value
        return environ | {"HTTP_X_REQUEST_ID": self.reference}

    def _log(self, seconds: float) -> None:
        if not access.isEnabledFor(logging.INFO) or self.scope["path"] == LIVE:
            return
        query = f"?{self.scope['query_string'].decode('latin-1')}" if self.scope["query_string"] else ""
        peer = self.scope["client"][0] if self.scope["client"] else ""
        access.info(
            '%s "%s %s%s" %s %d B %.0f ms',
            address_behind(self._header("x-forwarded-for"), peer), self.scope["method"],
            self.scope["raw_path"].decode("latin-1"), query, self.status or "gone", self.sent, seconds * 1000,
        )  # fmt: skip


def _path_of(target: bytes) -> bytes:
    """Return the path of a request's target, which may be a full URL: ``http://host/path``."""
    return target if target.startswith(b"/") else b"/" + target.partition(b"://")[2].partition(b"/")[2]


def _asked(environ: dict[str, Any]) -> Allowance:
    close_old_connections()
    try:
        return allowance_of(WSGIRequest(environ))
    finally:
        close_old_connections()


def _first(pieces: Iterator[bytes]) -> tuple[bytes, bool]:
    """Return the beginning of a response, and whether it is complete."""
    held: list[bytes] = []
    size, end = 0, time.monotonic() + PROMPT_SECONDS
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= WHOLE or time.monotonic() > end:
            return b"".join(held), False
    return b"".join(held), True
