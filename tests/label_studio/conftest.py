"""A real Label Studio, started for these tests and ended with them."""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

SECONDS_TO_START = 300


@dataclass(frozen=True)
class Studio:
    """Where it answers, and the token of its one user."""

    url: str
    token: str


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    if importlib.util.find_spec("label_studio_sdk") is None:
        pytest.skip("the client of Label Studio is not installed; `make test-label-studio` installs it beside .venv")
    program = find_program()
    if program is None:
        pytest.skip("no label-studio on PATH or in LABEL_STUDIO; `make test-label-studio` installs one beside .venv")
    folder = tmp_path_factory.mktemp("label-studio")
    running = Studio(f"http://127.0.0.1:{free_port()}", secrets.token_hex(20))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command(program, running, folder), env=environment(folder), stdout=log, stderr=log, cwd=folder
        )
        try:
            wait_for(running, process, folder / "log")
            yield running
        finally:
            process.terminate()
            process.wait(30)


def find_program() -> str | None:
    beside = Path(sys.executable).parent / "label-studio"
    return os.environ.get("LABEL_STUDIO") or shutil.which("label-studio") or (str(beside) if beside.exists() else None)


def command(program: str, running: Studio, folder: Path) -> list[str]:
    options = {
        "--data-dir": str(folder),
        "--internal-host": "127.0.0.1",
        "-p": running.url.rpartition(":")[2],
        "--username": "lea@example.org",
        "--password": secrets.token_hex(12),
        "--user-token": running.token,
    }
    pairs = [part for pair in options.items() for part in pair]
    return [program, "start", "--init", "--no-browser", "--enable-legacy-api-token", *pairs]


def environment(folder: Path) -> dict[str, str]:
    """Without what points a Django program at our settings, and without calls home."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("DJANGO_", "PYTEST_", "PYTHON"))}
    quiet = {"COLLECT_ANALYTICS": "false", "LATEST_VERSION_CHECK": "false", "SENTRY_DSN": "", "FRONTEND_SENTRY_DSN": ""}
    return {**ours, **quiet, "LABEL_STUDIO_BASE_DATA_DIR": str(folder), "DATABASE_URL": ""}


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_for(running: Studio, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{running.url}/health", timeout=5).is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.5)
    pytest.fail(f"Label Studio did not start:\n{log.read_text(errors='replace')[-2000:]}")
