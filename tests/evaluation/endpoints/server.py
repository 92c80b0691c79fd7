"""An endpoint on this machine that answers as a test says, over real HTTP."""

from __future__ import annotations

import json
import socket
import ssl
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx
import pytest

from annotation.outgoing.addresses import LOOPBACK
from evaluation.endpoints.client import Client, Settings
from evaluation.endpoints.errors import CallFailed
from evaluation.endpoints.exchange import Timeouts

BODY = {"messages": [{"role": "user", "content": "How many?"}]}
USAGE = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 40}}


@dataclass(frozen=True)
class Answer:
    """What the server sends. ``reset``: end the connection without its last bytes, as a crash does. ``before``: what
    happens between the request and the response."""

    status: int = 200
    body: bytes = b""
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    reset: bool = False
    declared: int | None = None
    before: Callable[[], Any] | None = None


@dataclass
class Seen:
    """Requests that arrived: path, headers, body."""

    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    connections: set[tuple[str, int]] = field(default_factory=set)

    def bodies(self) -> list[Any]:
        return [json.loads(body) for _, _, body in self.requests]


@dataclass(frozen=True)
class Running:
    url: str
    port: int
    seen: Seen


def spoken(content: str | None = "two", *, calls: list[Any] | None = None, usage: Any = USAGE, **more: Any) -> Answer:
    """A response as one JSON object."""
    message = {"role": "assistant", "content": content, **({"tool_calls": calls} if calls else {}), **more}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    whole = {"id": "1", "model": "m-1", "choices": [choice], "usage": usage, "system_fingerprint": "fp"}
    return Answer(body=json.dumps(whole).encode())


def streamed(*deltas: dict[str, Any], finish: str | None = "stop", done: bool = True, usage: Any = USAGE) -> Answer:
    """A response as a stream of chunks."""
    chunks = [{"model": "m-1", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    if finish:
        chunks.append({"model": "m-1", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if usage:
        chunks.append({"model": "m-1", "choices": [], "usage": usage})
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + (["data: [DONE]\n\n"] if done else [])
    return Answer(body="".join(lines).encode(), kind="text/event-stream")


def whole(answer: Answer) -> httpx.Response:
    """The same without a socket."""
    headers = {"Content-Type": answer.kind, **answer.headers}
    return httpx.Response(answer.status, headers=headers, stream=httpx.ByteStream(answer.body))


@contextmanager
def serving(*answers: Answer, tls: ssl.SSLContext | None = None) -> Iterator[Running]:
    """A server that gives these answers in turn, the last one again and again."""
    seen = Seen()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.requests.append((self.path, dict(self.headers), body))
            seen.connections.add(self.client_address)
            answer = answers[min(len(seen.requests), len(answers)) - 1]
            if answer.before:
                answer.before()
            if answer.status:
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.kind)
                declared = len(answer.body) if answer.declared is None else answer.declared
                for name, value in {"Content-Length": str(declared), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)
                self.wfile.flush()
            if answer.reset:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    port = server.server_address[1]
    try:
        yield Running(f"http://127.0.0.1:{port}/v1", port, seen)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def no_images(name: str) -> tuple[bytes, str]:
    raise KeyError(name)


def client(url: str, time: Time | None = None, draw: Callable[[], float] = lambda: 0.5, **settings: Any) -> Client:
    """A client of a server on this machine that doesn't wait between retries."""
    time = time or Time()
    settings = {"allowed_hosts": LOOPBACK, "timeouts": Timeouts(connect=2, silence=5, total=900), **settings}
    return Client(Settings(url, **settings), clock=time.clock, sleep=time.sleep, draw=draw)


def failure(endpoint: Client, words: str = "", body: Any = BODY, **options: Any) -> CallFailed:
    """The failure of a call, whose message has these words."""
    with pytest.raises(CallFailed, match=words or None) as caught:
        endpoint.complete(body, no_images, **options)
    return caught.value
