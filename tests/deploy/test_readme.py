"""What README.md says has to be there before: a fresh clone runs with that, and with nothing else on the machine."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.deploy import clean, compose
from tests.deploy.conftest import LOCK

pytestmark = pytest.mark.slow
POSIX = (
    "awk",
    "cat",
    "cp",
    "env",
    "find",
    "head",
    "ls",
    "mkdir",
    "mv",
    "rm",
    "sed",
    "sh",
    "sort",
    "touch",
    "tr",
    "uname",
)


def test_a_fresh_clone_runs_with_what_the_readme_names(tmp_path: Path) -> None:
    """D6.12, D6.13: no Node, no git, no compiler; of what is named, nothing is missing."""
    [needs] = re.findall(r"^\| `make demo`, `make run` \| (.*) \|$", (compose.ROOT / "README.md").read_text(), re.M)
    assert "POSIX" in needs
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in needs
    tools = [name for name in re.findall(r"`([a-z]+)`", needs) if name != "venv"]
    programs, clone = tmp_path / "bin", tmp_path / "clone"
    programs.mkdir()
    for name in (*tools, *POSIX):
        (programs / name).symlink_to(shutil.which(name) or pytest.fail(f"{name} is not on this machine"))
    (programs / "python3").symlink_to(Path(sys.base_prefix, "bin", "python3"))
    compose.copy_files(clone)
    environ = {"PATH": str(programs), "HOME": str(tmp_path), "PORT": str(_free_port()), "LANG": "C.UTF-8"}
    _make(clone, environ, ".venv/.made")
    # What pip would install now is in the environment of the lock, whose packages are those of the product and more.
    [packages] = (clone / ".venv/lib").glob("*/site-packages")
    shutil.rmtree(packages)
    packages.symlink_to(next((clean.environment(LOCK) / "lib").glob("*/site-packages")))
    (clone / ".venv/.packages").touch()
    with (tmp_path / "log").open("wb") as log:
        serving = subprocess.Popen(
            ["make", "run"], cwd=clone, env=environ, stdout=log, stderr=log, start_new_session=True,
            executable=str(programs / "make"),
        )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{environ['PORT']}"
        _wait_for(f"{address}/ready", serving, tmp_path / "log")
        with urlopen(f"{address}/", timeout=20) as page:
            assert b"Sightline" in page.read()
        with urlopen(f"{address}/static/vendor/openseadragon.js", timeout=20) as script:
            assert b"OpenSeadragon" in script.read()
    finally:
        os.killpg(serving.pid, signal.SIGKILL)
        serving.wait()


def _make(clone: Path, environ: dict[str, str], target: str) -> None:
    done = subprocess.run(
        [str(Path(environ["PATH"], "make")), target],
        cwd=clone,
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 90
    while True:
        try:
            urlopen(address, timeout=5).close()
            return
        except (URLError, ConnectionError, TimeoutError):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
