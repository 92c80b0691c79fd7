"""An S3 store on this machine, in a process of its own: moto, which the tests bring."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import Request, urlopen

BUCKET = "pictures"
KEYS = {
    "AWS_ACCESS_KEY_ID": "tests",
    "AWS_SECRET_ACCESS_KEY": "tests",
    "AWS_DEFAULT_REGION": "us-east-1",
    # What the settings of a person would add to the keys is not for a store of tests.
    "AWS_CONFIG_FILE": "/dev/null",
    "AWS_EC2_METADATA_DISABLED": "true",
}
"""What a process needs in its environment to use the store."""


@contextmanager
def server(port: int = 0) -> Iterator[str]:
    """The address of a store with one empty bucket, which is gone afterwards."""
    port = port or _free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _make_bucket(address)
        yield address
    finally:
        process.kill()
        process.wait()


def _make_bucket(address: str) -> None:
    end = time.monotonic() + 30
    while True:
        try:
            urlopen(Request(f"{address}/{BUCKET}", method="PUT"), timeout=5).close()
            return
        except (URLError, ConnectionError):
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
