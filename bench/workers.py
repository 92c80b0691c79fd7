"""Work in a process of its own, with a database of its own: what it took, and the most memory it held.

The process reads one JSON call from the command line and prints one JSON answer; the parent stays small and does not
share its caches.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
SECRET_KEY = uuid4().hex * 2
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""As ``env.prepare_home`` has it for every process of the product."""


def call(function: str, environ: Mapping[str, str], **arguments: Any) -> dict[str, Any]:
    """``module:name`` of this package with these arguments in a fresh process: what it returned, and ``peak_mb``."""
    command = [sys.executable, "-m", "bench.workers", function, json.dumps(arguments)]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environ}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{function} failed:\n{done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


class Conversation:
    """A process that is asked one thing after another: two of them, asked in turn, are measured at the same pace."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        command, pipe = [sys.executable, "-m", "bench.workers"], subprocess.PIPE
        self._process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **environ}, stdin=pipe, stdout=pipe, text=True, bufsize=1
        )

    def ask(self, function: str, **arguments: Any) -> dict[str, Any]:
        """As ``call``, in this process."""
        asked, answers = self._process.stdin, self._process.stdout
        if asked is None or answers is None:
            raise RuntimeError("The process has no pipes.")
        asked.write(json.dumps([function, arguments]) + "\n")
        line = answers.readline()
        if not line:
            raise RuntimeError(f"{function} failed.")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


@contextmanager
def sqlite() -> Iterator[dict[str, str]]:
    """The environment of a fresh SQLite database with the tables made."""
    with TemporaryDirectory(prefix="sightline-bench-") as home:
        shutil.copytree(_migrated(), home, dirs_exist_ok=True)
        yield _environ(home)


@contextmanager
def postgres(server: str) -> Iterator[dict[str, str]]:
    """The same in a database of its own on a PostgreSQL server; it is dropped afterwards."""
    import psycopg

    name = f"sightline_bench_{uuid4().hex[:12]}"
    with (
        psycopg.connect(server, autocommit=True) as connection,
        TemporaryDirectory(prefix="sightline-bench-") as home,
    ):
        connection.execute(f"CREATE DATABASE {name}")
        try:
            environ = _environ(home, urlunsplit(urlsplit(server)._replace(path=f"/{name}")))
            call("stages:migrate", environ)
            yield environ
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _environ(home: str, database: str = "") -> dict[str, str]:
    return {
        "SIGHTLINE_HOME": home,
        "DATABASE_URL": database,
        "SECRET_KEY": SECRET_KEY,
        "SIGHTLINE_LOG_LEVEL": "ERROR",
        **ONE_THREAD,
    }


@cache
def _migrated() -> Path:
    """The home folder of an empty database; the tables are made once in the life of this process, and copied."""
    home = mkdtemp(prefix="sightline-bench-empty-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    call("stages:migrate", _environ(home))
    return Path(home)


def peak_mb() -> float:
    """The most memory this process ever held. What Linux says of it begins again with the program; rusage does not."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
    except FileNotFoundError:
        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def answer(function: str, arguments: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """What ``call`` asks of a process, in this one: nothing of Django may have been set up in it before."""
    os.environ.update(environ, DJANGO_SETTINGS_MODULE="webapp.settings")
    import django

    django.setup()
    module, name = function.split(":")
    found = getattr(importlib.import_module(f"bench.{module}"), name)(**arguments)
    return {**(found or {}), "peak_mb": peak_mb()}


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps(answer(sys.argv[1], json.loads(sys.argv[2]), {})))
    for line in sys.stdin if not sys.argv[1:] else ():
        print(json.dumps(answer(*json.loads(line), {})), flush=True)
