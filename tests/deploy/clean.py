"""A clean environment of a lock file: what an installation gets, and nothing that the tests bring."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WEEK = 7 * 24 * 3600


def environment(lock: str) -> Path:
    """The folder of a virtual environment with exactly the packages of this lock, made once for each lock."""
    text = (ROOT / lock).read_bytes()
    parent = Path(tempfile.gettempdir()) / f"sightline-clean-{os.getuid()}"
    parent.mkdir(exist_ok=True)
    folder = parent / sha256(text + sys.version.encode()).hexdigest()[:16]
    with (parent / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            _make(folder, lock)
        (folder / "made").touch()
        for other in parent.iterdir():
            if other.is_dir() and other.stat().st_mtime < time.time() - WEEK:
                shutil.rmtree(other, ignore_errors=True)
    os.utime(folder)
    return folder


def _make(folder: Path, lock: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    install = [str(folder / "bin/python"), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*install, "--require-hashes", "-r", str(ROOT / lock)], check=True)
    subprocess.run([str(folder / "bin/python"), "-m", "compileall", "-q", str(folder / "lib")], check=False)
