"""Processes that begin at once: forked from one in which Django is set up, which takes longer than most of them live.

They are processes of their own for all that: each has its group, memory and connections, and is killed for real.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


class Process:
    """One that was forked; ``output`` is what it printed."""

    def __init__(self, ask: Callable[..., Any], pid: int, file: Path) -> None:
        self._ask, self.pid, self._file = ask, pid, file
        self.returncode: int | None = None

    @property
    def output(self) -> str:
        return self._file.read_text(errors="replace")

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = self._ask(poll=self.pid)
        return self.returncode

    def wait(self, seconds: float = 180) -> int:
        end = time.monotonic() + seconds
        while (code := self.poll()) is None:
            if time.monotonic() > end:
                raise TimeoutError(f"The process did not end in {seconds:g} s:\n{self.output}")
            time.sleep(0.01)
        return code

    def kill(self) -> None:
        """kill -9, the processes that it started included."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self.wait()


class Parent:
    """The process that has Django set up, in an environment."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.processes"],
            cwd=ROOT, env={**os.environ, **environ}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._folder = TemporaryDirectory(prefix="sightline-processes-")
        self._numbers = count()
        atexit.register(self._end)

    def start(self, *command: str) -> Process:
        """What ``python`` with these words would run: ``manage.py ...`` or ``-m module ...``."""
        output = Path(self._folder.name, str(next(self._numbers)))
        output.touch()
        return Process(self._ask, self._ask(command=command, output=str(output)), output)

    def _end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _ask(self, **question: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


@cache
def _parent(environ: tuple[tuple[str, str], ...]) -> Parent:
    return Parent(dict(environ))


def parent(environ: Mapping[str, str]) -> Parent:
    """The one of this environment, for the rest of the tests."""
    return _parent(tuple(sorted(environ.items())))


def _become(command: Sequence[str], output: str) -> None:
    """Go on as a process of its own that runs this command; it ends as one that Python was started for."""
    os.setsid()
    for number, file, how in ((0, os.devnull, os.O_RDONLY), (1, output, os.O_WRONLY | os.O_APPEND)):
        os.dup2(os.open(file, how), number)
    os.dup2(1, 2)
    module = command[0] == "-m"
    sys.argv = list(command[1:] if module else command)
    if module:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")


def _polled(pid: int) -> int | None:
    found, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


def main() -> None:
    import django
    from django.urls import get_resolver

    django.setup()
    assert get_resolver().url_patterns
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        question = json.loads(line)
        if "poll" in question:
            answer = _polled(question["poll"])
        elif not (answer := os.fork()):
            return _become(**question)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
