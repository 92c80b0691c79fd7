"""PgBouncer in front of the database of a test: each transaction gets any connection to the server."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SERVER_CONNECTIONS = 4


class NoPooler(Exception):
    """No pooler could be had; the message says what was looked for."""


@contextmanager
def transaction_pooler(folder: Path, to: Mapping[str, Any]) -> Iterator[int]:
    """The port of a pooler on this machine, in front of the database of these settings. Raises ``NoPooler``."""
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        raise NoPooler("there is no pgbouncer on PATH or in /usr/sbin")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    file = folder / "pgbouncer.ini"
    file.write_text(_configuration(port, to))
    # It refuses to run as root.
    runs_as = ["-u", "nobody"] if os.geteuid() == 0 else []
    if runs_as:
        for path in (file, *file.parents[:3]):
            path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044))
    process = subprocess.Popen([program, "-q", *runs_as, str(file)], stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, process)
        yield port
    finally:
        process.kill()
        process.wait()


def _configuration(port: int, to: Mapping[str, Any]) -> str:
    server = {"host": to["HOST"] or "/var/run/postgresql", "port": to["PORT"] or "5432", "user": to["USER"]}
    words = {**server, "dbname": to["NAME"], **({"password": to["PASSWORD"]} if to["PASSWORD"] else {})}
    return "\n".join(
        (
            "[databases]",
            f"{to['NAME']} = " + " ".join(f"{name}='{value}'" for name, value in words.items()),
            "[pgbouncer]",
            "listen_addr = 127.0.0.1",
            f"listen_port = {port}",
            "unix_socket_dir =",
            "auth_type = any",
            "pool_mode = transaction",
            f"default_pool_size = {SERVER_CONNECTIONS}",
            "max_client_conn = 100",
            "server_round_robin = 1",
            "",
        )
    )


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 10
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise NoPooler(f"pgbouncer did not begin to listen (exit code {process.poll()})")
