"""The HTTP server of the stand-in: chat completions as JSON or as a stream, detections, images, models, and
counts."""

from __future__ import annotations

import json
import select
import socket
import struct
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

from evaluation.runner.dialects.zoom import Response
from evaluation.runner.tokens import image_tokens
from evaluation.stand_in.board import picture_of, wanted_of
from evaluation.stand_in.brains import drawn
from evaluation.stand_in.catalogue import brain_of
from evaluation.stand_in.chat import BadRequest, Chat, chat_of, texts_of
from evaluation.stand_in.detector import detections_of, sought_of
from evaluation.stand_in.faults import Fault
from evaluation.stand_in.recorded import Recorded

CHAT, DETECT, IMAGES = "/v1/chat/completions", "/v1/detect", "/v1/images/generations"
MOST_BYTES = 100_000_000
SILENCE = 600.0
"""Seconds that a silent response lasts at most; the client leaves before."""
FAMILY = "qwen3-vl"
_PIECE = 40
_CHARACTERS = 4


@dataclass
class Counts:
    """Requests that arrived, by digest and by fault."""

    requests: int = 0
    digests: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    lock: Lock = field(default_factory=Lock)

    def take(self, digest: str) -> int:
        """Count a request; return how often it came before."""
        with self.lock:
            self.requests += 1
            self.digests[digest] += 1
            return self.digests[digest] - 1

    def to_json(self) -> dict[str, Any]:
        with self.lock:
            return {"requests": self.requests, "digests": dict(self.digests), "faults": dict(self.faults)}


@dataclass(frozen=True)
class Options:
    """``faults`` occur with probability ``rate``; a retried request draws again. ``latency``: seconds before a
    response. ``brain``: answers for every model that a request names; "" uses the model id.
    """

    brain: str = ""
    faults: Sequence[Fault] = ()
    rate: float = 0.1
    latency: float = 0.0
    seed: int = 7


class StandIn:
    """The server, as a context manager. ``port`` 0 takes a free one."""

    def __init__(
        self, recorded: Recorded, options: Options | None = None, *, host: str = "127.0.0.1", port: int = 0
    ) -> None:
        self.counts = Counts()
        handler = type("Handler", (_Handler,), {"stand_in": self})
        self.recorded, self.options = recorded, options or Options()
        self._server = ThreadingHTTPServer((host, port), handler)
        self._server.daemon_threads = True
        self.host, self.port = host, self._server.server_address[1]

    @property
    def base_url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/v1"

    def __enter__(self) -> StandIn:
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def serve(self) -> None:
        """Answer until interrupted."""
        try:
            self._server.serve_forever()
        finally:
            self._server.server_close()

    def fault_of(self, chat: Chat, tries: int, response: Response) -> Fault | None:
        """The fault of this try of a request, drawn from those that would change something."""
        rng = drawn(self.options.seed, chat.digest, tries)
        if rng.random() >= self.options.rate:
            return None
        able = [one for one in self.options.faults if one.change is None or one.change(response, chat) != response]
        return rng.choice(able) if able else None

    def response_to(self, chat: Chat) -> Response:
        """Raises ``BadRequest`` for an unknown model."""
        return brain_of(self.options.brain or chat.model, self.recorded, self.options.seed).respond(chat)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stand_in: StandIn

    def log_message(self, *_: Any) -> None:
        """Nothing is logged."""

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            models = [{"id": name, "object": "model"} for name in self.stand_in.recorded.runs]
            self._send(200, {"object": "list", "data": models})
        elif self.path == "/stand-in/counts":
            self._send(200, self.stand_in.counts.to_json())
        else:
            self._send(404, BadRequest(f"There is no {self.path}.", status=404).body)

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if self.path not in (CHAT, DETECT, IMAGES) or length > MOST_BYTES:
            self.close_connection = True
            status = 413 if length > MOST_BYTES else 404
            self._send(status, BadRequest(f"There is no {self.path}, or the request is too large.").body)
            return
        if self.path == DETECT:
            self._detect(self.rfile.read(length))
            return
        if self.path == IMAGES:
            self._draw(self.rfile.read(length))
            return
        try:
            chat = chat_of(self.rfile.read(length))
            tries = self.stand_in.counts.take(chat.digest)
            response = self.stand_in.response_to(chat)
            fault = self.stand_in.fault_of(chat, tries, response)
        except BadRequest as error:
            self._send(error.status, error.body)
            return
        if fault is not None:
            with self.stand_in.counts.lock:
                self.stand_in.counts.faults[fault.name] += 1
        time.sleep(self.stand_in.options.latency)
        self._answer(chat, response, fault)

    def _detect(self, data: bytes) -> None:
        """Answer as a detector. The faults of chats do not apply: at their rate, a request is rejected with 503."""
        options = self.stand_in.options
        try:
            sought = sought_of(data)
        except BadRequest as error:
            self._send(error.status, error.body)
            return
        tries = self.stand_in.counts.take(sought.digest)
        time.sleep(options.latency)
        if options.faults and drawn(options.seed, sought.digest, tries).random() < options.rate:
            self._send(503, BadRequest("The detector is overloaded.", status=503).body)
            return
        self._send(200, detections_of(sought, self.stand_in.recorded, options.seed))

    def _draw(self, data: bytes) -> None:
        """Answer as an image generator; faults as of a detector."""
        options = self.stand_in.options
        try:
            wanted = wanted_of(data)
        except BadRequest as error:
            self._send(error.status, error.body)
            return
        tries = self.stand_in.counts.take(wanted.digest)
        time.sleep(options.latency)
        if options.faults and drawn(options.seed, wanted.digest, tries).random() < options.rate:
            self._send(503, BadRequest("The image generator is overloaded.", status=503).body)
            return
        self._send(200, picture_of(wanted))

    def _answer(self, chat: Chat, response: Response, fault: Fault | None) -> None:
        if fault is not None and fault.http is not None:
            more = {"Retry-After": fault.http.retry_after} if fault.http.retry_after else {}
            self._bytes(fault.http.status, fault.http.body, headers=more)
            return
        wire = fault.wire if fault else ""
        if fault is not None and fault.change is not None:
            response = fault.change(response, chat)
        body = _completion(chat, response, fault.finish if fault else "", wire)
        match wire:
            case "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                return
            case "html":
                self._bytes(200, b"<!doctype html><title>Gateway</title>", kind="text/html")
                return
            case "truncated" if not chat.streamed:
                self._bytes(200, json.dumps(body).encode()[:-9])
                return
            case "cut" | "trickle" if not chat.streamed:
                self._bytes(200, json.dumps(body).encode(), cut=wire == "cut", pause=0.002 * (wire == "trickle"))
                return
            case "no-body":
                self._bytes(200, b"")
                return
            case "silence":
                self.close_connection = True
                select.select([self.connection], [], [], SILENCE)
                return
            case "slow":
                time.sleep(1.0)
        if chat.streamed:
            self._stream(chat, body, wire)
        else:
            self._send(200, body)

    def _stream(self, chat: Chat, body: dict[str, Any], wire: str) -> None:
        events = list(_events(body, chat.with_usage))
        if wire in ("cut", "truncated"):
            events = events[: max(1, len(events) // 2)]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in events:
            data = f"data: {json.dumps(event)}\n\n".encode()
            if wire == "trickle":
                for start in range(0, len(data), _PIECE):
                    self._write(data[start : start + _PIECE])
                    time.sleep(0.002)
            else:
                self._write(data)
        if wire not in ("cut", "truncated"):
            self._write(b"data: [DONE]\n\n")

    def _write(self, data: bytes) -> None:
        try:
            self.wfile.write(data)
            self.wfile.flush()
        except OSError:
            # The client has left.
            self.close_connection = True

    def _send(self, status: int, body: dict[str, Any]) -> None:
        self._bytes(status, json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass"))

    def _bytes(
        self,
        status: int,
        data: bytes,
        kind: str = "application/json",
        *,
        headers: Mapping[str, str] | None = None,
        cut: bool = False,
        pause: float = 0.0,
    ) -> None:
        """Send a response; ``cut``: half of it, with the length of all; ``pause``: seconds between pieces of it."""
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        sent = data[: len(data) // 2] if cut else data
        size = _PIECE if pause else max(1, len(sent))
        for start in range(0, len(sent), size):
            self._write(sent[start : start + size])
            time.sleep(pause)
        self.close_connection = self.close_connection or cut


def _completion(chat: Chat, response: Response, finish: str, wire: str) -> dict[str, Any]:
    """A response as one object. The usage counts four characters as a token, and images as ``FAMILY`` does."""
    text = response.text + ("x" * 5_000_000 if wire == "huge" else "")
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if response.calls and finish != "content_filter":
        message["tool_calls"] = [
            {
                **({} if wire == "ids" else {"id": f"call_{len(chat.turns)}_{0 if wire == 'same-ids' else number}"}),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for number, call in enumerate(response.calls)
        ]
    if finish == "refusal":
        message = {"role": "assistant", "content": None, "refusal": "I can't help with this image."}
    limit = chat.max_tokens
    if finish == "length" or (limit is not None and len(text) > limit * _CHARACTERS):
        message["content"] = text[: (limit or 1) * _CHARACTERS]
        finish = "length"
    reason = finish if finish in ("length", "content_filter") else "tool_calls" if response.calls else "stop"
    images = sum(image_tokens(*image.size, FAMILY) or 0 for image in chat.all_images)
    given = sum(map(len, texts_of(chat.body))) // _CHARACTERS + images
    made = max(1, len(json.dumps(message)) // _CHARACTERS)
    usage = {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
    if wire == "usage":
        usage = {"prompt_tokens": -1, "completion_tokens": -1, "total_tokens": 0}
    return {
        "id": f"standin-{chat.digest[:16]}",
        "object": "chat.completion",
        "created": 0,
        "model": chat.model,
        "system_fingerprint": "stand-in",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": usage,
    }


def _events(body: dict[str, Any], with_usage: bool) -> Iterator[dict[str, Any]]:
    """The same as chunks of a stream."""
    [choice] = body["choices"]
    head = {name: body[name] for name in ("id", "created", "model", "system_fingerprint")}
    head["object"] = "chat.completion.chunk"

    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    message = choice["message"]
    yield chunk({"role": "assistant", "content": ""})
    text = message.get("content") or ""
    size = max(_PIECE, len(text) // 50)
    for start in range(0, len(text), size):
        yield chunk({"content": text[start : start + size]})
    if message.get("refusal"):
        yield chunk({"refusal": message["refusal"]})
    for number, call in enumerate(message.get("tool_calls") or ()):
        yield chunk({"tool_calls": [{"index": number, **call}]})
    yield chunk({}, choice["finish_reason"])
    if with_usage:
        yield {**head, "choices": [], "usage": body["usage"]}
