"""Checks whether code can be isolated on this machine, and returns the command that starts the driver."""

from __future__ import annotations

import ctypes
import math
import os
import platform
import shutil
import site
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from annotation.imaging.opening import MAX_PIXELS
from evaluation.sandbox import filters

NOBODY = 65534
OUT_BYTES = 64 * 2**20
LANDLOCK_ABI = 6
"""The first version that isolates signals and abstract sockets; kernel 6.12."""
_LIBRARIES = ("/usr/lib", "/usr/lib64", "/lib", "/lib64")
_CREATE_RULESET, _VERSION = 444, 1
_INSTALL = (
    "Install bubblewrap (on Debian: apt-get install bubblewrap) and allow user namespaces, or use Linux 6.12 or newer "
    "with Landlock."
)


class Mode(StrEnum):
    """The mechanism that isolates the code."""

    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Code can't run here. ``message``: the reason and the solution."""

    message: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in seconds, bytes and counts; see the description of each."""

    cell_cpu: float = 10.0
    """Seconds of CPU per cell."""
    cell_wall: float = 20.0
    """Seconds per cell."""
    attempt: float = 120.0
    """Seconds of all cells together."""
    memory: int = 2 * 2**30
    """Bytes of address space."""
    file: int = 32 * 2**20
    """Bytes of one file."""
    out_bytes: int = OUT_BYTES
    out_files: int = 200
    output: int = 64 * 2**10
    """Bytes of text per cell."""
    open_files: int = 128
    threads: int = 64
    images: int = 16
    """Files read from /out per cell."""
    pixels: int = MAX_PIXELS
    """Of all images of a cell."""

    def of_process(self) -> dict[str, int]:
        """Limits that the driver sets for itself, by their names in ``resource``."""
        return {
            "RLIMIT_AS": self.memory,
            "RLIMIT_FSIZE": self.file,
            "RLIMIT_NOFILE": self.open_files,
            "RLIMIT_CPU": math.ceil(self.attempt),
            "RLIMIT_CORE": 0,
        }


@dataclass(frozen=True, slots=True)
class Python:
    """The interpreter of the cells: ``prefix`` is its installation, ``packages`` hold cv2, numpy and PIL."""

    executable: str = field(
        default_factory=lambda: os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
    )
    prefix: str = field(default_factory=lambda: os.path.realpath(sys.base_prefix))
    packages: tuple[str, ...] = field(
        default_factory=lambda: tuple(
            dict.fromkeys(
                os.path.realpath(path)
                for path in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages())
                if Path(path).is_dir()
            )
        )
    )

    @property
    def libraries(self) -> list[str]:
        """Files and folders that the interpreter reads."""
        system = [path for path in _LIBRARIES if Path(path).is_dir()]
        own = [self.executable] if self.prefix == "/usr" else [self.prefix]
        return [*system, *own, *self.packages]

    @property
    def environment(self) -> dict[str, str]:
        """The only environment variable: the library path of a Python that was built as a library. The driver removes
        it.
        """
        return {"LD_LIBRARY_PATH": str(Path(self.prefix) / "lib")}


def available(python: Python | None = None, drop_root: bool = True) -> Mode | Refusal:
    """Return the safer mode that works here, tested by starting Python in it, or the reason why there is none.

    Root never starts the launcher: with ``drop_root`` it first becomes uid 65534; without it, root is refused.
    """
    python = python or Python()
    if os.getuid() == 0 and not drop_root:
        return Refusal("Code of models doesn't run as root. Start Sightline as another user.")
    if platform.machine() not in filters.MACHINES or sys.platform != "linux":
        return Refusal(f"The sandbox needs Linux on {' or '.join(filters.MACHINES)}.")
    imports = f"import sys; sys.path[:0] = {list(python.packages)!r}; import cv2, numpy, PIL"
    given = ["-I", "-S", "-c", imports]
    if shutil.which("bwrap") and _starts([*bubblewrap(python, None, None), *given], python):
        return Mode.BUBBLEWRAP
    if not _starts([python.executable, *given], python):
        return Refusal(
            f"{python.executable} can't be started with its packages as the user of the sandbox (uid {user_id()}). "
            "Install Python and Sightline where every user can read them."
        )
    if landlock_abi() >= LANDLOCK_ABI:
        return Mode.LANDLOCK
    return Refusal(f"Nothing can close code in on this machine. {_INSTALL}")


def landlock_abi() -> int:
    """The version of Landlock in this kernel, 0 without it."""
    return max(0, int(ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)))


def user_id() -> int:
    """The user of the launcher: never root."""
    return os.getuid() or NOBODY


def dropped() -> dict[str, object]:
    """Return arguments of ``Popen`` that drop root before the launcher starts."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}


def bubblewrap(python: Python, images: str | None, seccomp: int | None) -> list[str]:
    """Return the command up to the arguments of Python. ``images``: the folder mounted as /in; ``seccomp``: a
    descriptor.
    """
    command = [shutil.which("bwrap") or "bwrap", "--unshare-user", "--unshare-all", "--disable-userns"]
    command += ["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    command += ["--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "sandbox", "--dev", "/dev"]
    for path in python.libraries:
        link = Path(path).is_symlink()
        command += ["--symlink", str(Path(path).readlink()), path] if link else ["--ro-bind", path, path]
    command += ["--size", str(OUT_BYTES), "--tmpfs", "/out"]
    if images:
        command += ["--ro-bind", images, "/in"]
    # /dev would be another writable file system, with half the memory of the machine.
    command += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/out"]
    for name, value in python.environment.items():
        command += ["--setenv", name, value]
    if seccomp is not None:
        command += ["--seccomp", str(seccomp)]
    return [*command, python.executable]


def _starts(command: list[str], python: Python) -> bool:
    try:
        done = subprocess.run(
            command,
            env=environment(python),
            capture_output=True,
            timeout=20,
            cwd="/",
            **dropped(),  # type: ignore[call-overload]
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return bool(done.returncode == 0)


def environment(python: Python) -> Mapping[str, str]:
    """Return the environment variables of the server that the launcher sees: none."""
    return python.environment
