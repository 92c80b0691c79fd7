"""A PostgreSQL server for the tests, from what the machine has.

In this order: the server of ``DATABASE_URL``; a private one from ``initdb`` and ``pg_ctl`` (on PATH, or where Debian
puts them); a private one from the package ``pgserver``. A private server listens on this machine only, with a password
of its own, without syncing to disk, and is gone when the tests are.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

UNPRIVILEGED = ("postgres", "nobody")
"""Whom the server runs as when the tests run as root, which PostgreSQL refuses."""

SETTINGS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "unix_socket_directories=")


class NoServer(Exception):
    """No server could be had; the message says what was looked for."""


@contextmanager
def server(environ: dict[str, str]) -> Iterator[str]:
    """The address of a server, as a value for ``DATABASE_URL``. Raises ``NoServer``."""
    given = environ.get("DATABASE_URL", "")
    if given.startswith(("postgres://", "postgresql://")):
        yield given
        return
    programs = find_programs()
    if programs is None:
        raise NoServer("no DATABASE_URL, no initdb and pg_ctl, no package pgserver")
    with private_server(programs) as address:
        yield address


def find_programs() -> Path | None:
    """The folder of ``initdb`` and ``pg_ctl``, if there is one."""
    on_path = [Path(found).resolve().parent for found in [shutil.which("initdb")] if found]
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    package = find_spec("pgserver")
    packaged = [Path(package.origin).parent / "pginstall" / "bin"] if package and package.origin else []
    for folder in [*on_path, *debian, *packaged]:
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    return None


@contextmanager
def private_server(programs: Path, port: int = 0) -> Iterator[str]:
    """Start a server in a folder of its own, on this port or a free one, and stop it afterwards."""
    with tempfile.TemporaryDirectory(prefix="sightline-postgres-") as name:
        folder = Path(name)
        password = secrets.token_hex(16)
        (folder / "password").write_text(password, encoding="ascii")
        command = _as_nobody(folder)
        port = port or _free_port()
        data = str(folder / "data")
        options = " ".join(["-h 127.0.0.1", f"-p {port}", *(f"-c {setting}" for setting in SETTINGS)])
        login = ["-U", "sightline", "--auth=scram-sha-256", f"--pwfile={folder / 'password'}"]
        _run([*command, str(programs / "initdb"), "-D", data, "-E", "UTF8", "--locale=C", "--no-sync", *login])
        control = [*command, str(programs / "pg_ctl"), "-D", data, "-w", "-t", "60"]
        _run([*control, "-o", options, "-l", str(folder / "log"), "start"])
        try:
            yield f"postgres://sightline:{password}@127.0.0.1:{port}/postgres"
        finally:
            _run([*control, "-m", "immediate", "stop"])


def _as_nobody(folder: Path) -> list[str]:
    """What to put before a command so that it does not run as root; the folder is handed over."""
    if os.geteuid() != 0:
        return []
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    user = next((user for user in UNPRIVILEGED if user in names), None)
    if user is None or shutil.which("runuser") is None:
        raise NoServer("PostgreSQL does not run as root, and there is no runuser with a user postgres or nobody")
    for path in (folder, *folder.iterdir()):
        shutil.chown(path, user)
    return ["runuser", "-u", user, "--"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _run(command: Sequence[str]) -> None:
    # Output goes to a file: pg_ctl's server inherits the stream, and reading a pipe would wait for its end.
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        if done.returncode:
            output.seek(0)
            said = output.read().decode(errors="replace").strip()
            raise NoServer(f"{Path(command[-1]).name if len(command) < 4 else 'PostgreSQL'} did not start: {said}")
