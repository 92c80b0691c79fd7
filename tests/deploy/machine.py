"""A machine of its own for the tests: a network with nothing but itself on it, and processes that end with the tests.

On the network, services have the ports and names that compose gives them, and none is shared with others.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests import postgres

CLONE_NEWNET = 0x40000000
RABBITMQ = "/usr/lib/rabbitmq/bin"
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1


class CannotRun(Exception):
    """The machine lacks what this needs; the message says what."""


def check() -> None:
    """Raises ``CannotRun`` where the tests of deployments cannot run, with what is missing."""
    for name in ("unshare", "setpriv", "mount", "chroot", "redis-server"):
        program(name)
    program("rabbitmq-server", folder=RABBITMQ)
    if postgres.find_programs() is None:
        raise CannotRun("PostgreSQL is not installed")
    with own_network():
        pass


@contextmanager
def own_network() -> Iterator[None]:
    """What this thread starts in here sees a network with a loopback only. Raises ``CannotRun``."""
    if os.geteuid() != 0 or not Path("/proc/self/ns/net").exists():
        raise CannotRun("namespaces need Linux and root")
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open("/proc/self/ns/net", os.O_RDONLY)
    try:
        if libc.unshare(CLONE_NEWNET):
            raise CannotRun(f"no namespace for the network: {os.strerror(ctypes.get_errno())}")
        try:
            _up("lo")
            yield
        finally:
            if libc.setns(before, CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "the network of the machine does not come back")
    finally:
        os.close(before)


def _up(device: str) -> None:
    with socket.socket() as any_socket:
        asked = fcntl.ioctl(any_socket, _GET_FLAGS, struct.pack("16sH14x", device.encode(), 0))
        flags = struct.unpack("16sH14x", asked)[1] | _UP
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", device.encode(), flags))


class Process:
    """A process with all that it starts: they are of one namespace, and end together."""

    def __init__(
        self, command: Sequence[str], environ: Mapping[str, str], log: Path, *, own: Sequence[str] = ()
    ) -> None:
        self.log = log
        unshare = ["unshare", "--pid", "--fork", *own]
        with log.open("ab") as out:
            self._process = subprocess.Popen(
                [*unshare, *command], cwd="/", env=dict(environ), stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        # The first process of the namespace takes all others along. The kernel does not end it with its parent: it has
        # changed its user.
        if self._process.poll() is None:
            for first in Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split():
                os.kill(int(first), signal.SIGKILL)
            self._process.wait()

    @property
    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def wait(self, seconds: float) -> int:
        return self._process.wait(seconds)

    def wait_until(self, true: Callable[[], bool], *, seconds: float = 90) -> None:
        end = time.monotonic() + seconds
        while not true():
            if self._process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"{self.log.stem} did not come so far:\n{self.output[-3000:]}")
            time.sleep(0.05)

    def listens(self, port: int) -> None:
        def answers() -> bool:
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        self.wait_until(answers)


def program(*names: str, folder: str = "") -> str:
    """The path of the first of these programs. Raises ``CannotRun``."""
    path = f"{folder}:{os.environ['PATH']}:/usr/sbin:/sbin"
    found = next((found for name in names if (found := shutil.which(name, path=path))), None)
    if found is None:
        raise CannotRun(f"{names[0]} is not installed")
    return found


def rabbitmq(home: Path) -> Process:
    """A RabbitMQ node that knows nobody, with the user guest."""
    server = program("rabbitmq-server", folder=RABBITMQ)
    environ = {
        "PATH": f"{os.environ['PATH']}:/usr/sbin",
        "HOME": str(home),
        "RABBITMQ_NODENAME": "tests@localhost",
        "RABBITMQ_MNESIA_BASE": str(home / "data"),
        "RABBITMQ_LOG_BASE": str(home / "log"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "plugins"),
        "RABBITMQ_CONF_ENV_FILE": str(home / "none"),
        "RABBITMQ_CONFIG_FILE": str(home / "rabbitmq"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 1:1 +sbwt none",
    }
    (home / "plugins").write_text("[].")
    (home / "rabbitmq.conf").write_text("listeners.tcp.default = 127.0.0.1:5672\nlog.console = true\n")
    return Process([server], environ, home / "rabbitmq.log")
