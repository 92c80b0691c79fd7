"""The site as ``manage.py serve`` serves it, in processes of its own, and connections of people who are signed in."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

from bench.workers import ROOT

GIVEN_UP = 120
SAID = 300
TOKEN = "b" * 32
"""What a browser sends twice against forged requests; any value that is the same in both places."""


class Answer(NamedTuple):
    status: int
    body: bytes
    headers: dict[str, str]

    def json(self) -> dict[str, Any]:
        """The object that was answered."""
        found: dict[str, Any] = json.loads(self.body)
        return found


class Site:
    """Where it answers, and the processor time and memory of its processes."""

    def __init__(self, port: int, process: subprocess.Popen[str]) -> None:
        self.port = port
        self._process = process

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def worked(self) -> float:
        """Milliseconds of processor time that all threads of all its processes took so far."""
        ours = processes(self._process.pid)
        threads = (path for pid in ours for path in Path(f"/proc/{pid}/task").glob("*/schedstat"))
        return sum(int(path.read_text(encoding="ascii").split()[0]) for path in threads) / 1e6

    def resident_mb(self) -> float:
        """MB that its processes hold, shared pages divided among them."""
        return sum(pss_mb(pid) for pid in processes(self._process.pid))


class Browser:
    """One connection that is kept, with the cookies of one person. The same few bytes a real browser's script sends."""

    def __init__(self, site: Site, session: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", site.port, timeout=GIVEN_UP)
        self._headers = {"Cookie": f"sessionid={session}; csrftoken={TOKEN}", "X-CSRFToken": TOKEN}

    def ask(self, method: str, path: str, body: object = None, key: str = "") -> Answer:
        """One request and its whole answer. Raises ``RuntimeError`` when the site says that it is at fault."""
        sent = b"" if body is None else json.dumps(body).encode()
        named = {"Content-Type": "application/json"} | ({"Idempotency-Key": key} if key else {})
        self._connection.request(method, path, sent, self._headers | named)
        response = self._connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        answer = Answer(response.status, response.read(), headers)
        if answer.status >= 500:
            raise RuntimeError(f"{method} {path} answered {answer.status}: {answer.body[:SAID]!r}")
        return answer

    def close(self) -> None:
        self._connection.close()


@contextmanager
def serving(environ: Mapping[str, str]) -> Iterator[Site]:
    """The site of this home and database, from the moment it answers; it is ended afterwards."""
    port = free_port()
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    log = Path(environ["SIGHTLINE_HOME"]) / "serve.log"
    with log.open("w", encoding="utf-8") as said:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **environ}, text=True, start_new_session=True,
            stdout=said, stderr=said,
        )  # fmt: skip
        try:
            _wait(port, process, log)
            yield Site(port, process)
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(timeout=60)


def _wait(port: int, process: subprocess.Popen[str], log: Path) -> None:
    begun = time.monotonic()
    while time.monotonic() - begun < GIVEN_UP and process.poll() is None:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/live")
            connection.getresponse().read()
            return
        except OSError:
            time.sleep(0.1)
        finally:
            connection.close()
    raise RuntimeError(f"The site did not come up:\n{log.read_text(encoding='utf-8')[-SAID:]}")


def processes(parent: int) -> list[int]:
    """A process and its descendants."""
    found, waiting = [], [parent]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            waiting += [int(child) for child in children.read_text(encoding="ascii").split()]
    return found


def pss_mb(pid: int) -> float:
    """MB that a process holds, each shared page divided by those who share it."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:"))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
