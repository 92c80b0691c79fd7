"""An ML backend of Label Studio on this machine: a real HTTP server that answers as a test says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from evaluation.endpoints.ml_backend import HEALTH, PREDICT, SETUP

VERSION = "yolo-8"


@dataclass
class Backend:
    """``answers``: to predictions in turn, the last one again and again; a text is sent as it is, a number is a status.
    ``user``: the value of the header Authorization that it wants."""

    answers: Sequence[Any]
    user: str = ""
    up: bool = True
    url: str = ""
    seen: list[tuple[str, str, Any]] = field(default_factory=list)

    @property
    def predictions(self) -> list[Any]:
        return [body for _, path, body in self.seen if path == PREDICT]

    @property
    def paths(self) -> list[str]:
        return [f"{method} {path}" for method, path, _ in self.seen]


def region(kind: str = "rectanglelabels", score: Any = 0.9, label: str = "mug", **value: Any) -> dict[str, Any]:
    """A region in percent, of the left upper quarter of its image without other values."""
    given = {"x": 0, "y": 0, "width": 50, "height": 50} | value
    return {"type": kind, "from_name": "boxes", "to_name": "image", "score": score, "value": given | {kind: [label]}}


def predicted(*regions: Any, **more: Any) -> dict[str, Any]:
    return {"results": [{"result": list(regions), "score": 0.7, "model_version": VERSION, **more}]}


@contextmanager
def backing(*answers: Any, user: str = "", up: bool = True) -> Iterator[Backend]:
    backend = Backend(answers or (predicted(region()),), user, up)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answered("GET", None)

        def do_POST(self) -> None:
            self._answered("POST", json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _answered(self, method: str, body: Any) -> None:
            if backend.user and self.headers.get("Authorization") != backend.user:
                self._send(401, {"error": f"Unauthorized: {self.headers.get('Authorization')}"})
                return
            backend.seen.append((method, self.path, body))
            said: Any = {"status": "UP"}
            if self.path == HEALTH and not backend.up:
                said = 503
            elif self.path == SETUP:
                said = {"model_version": VERSION}
            elif self.path == PREDICT:
                said = backend.answers[min(len(backend.predictions), len(backend.answers)) - 1]
            if isinstance(said, int):
                self._send(said, {"detail": "broken"})
            else:
                self._send(200, said)

        def _send(self, status: int, said: Any) -> None:
            data = (said if isinstance(said, str) else json.dumps(said)).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    backend.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield backend
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
