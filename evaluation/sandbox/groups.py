"""Control groups (cgroup v2): limits that the kernel keeps for all processes of a sandbox together, files in memory
included. Only where a part of the hierarchy was handed over to this process; elsewhere each process has its own limits.
"""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluation.sandbox.launch import Limits

HIERARCHIES = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))
_OWN = Path("/proc/self/cgroup")
_CONTROLLERS = {"memory", "pids"}
_SPARE_TASKS = 8
"""Beyond the threads of a cell: bubblewrap, and what a cell starts between two looks at it."""
_END_SECONDS = 2.0


class Group:
    """One group below ``parent``. ``values``: what is written to its files. Raises ``OSError`` if that can't be."""

    def __init__(self, parent: Path, values: Mapping[str, str]) -> None:
        self.folder = parent / f"sightline-cells-{uuid.uuid4().hex}"
        self.folder.mkdir()
        try:
            for name, value in values.items():
                (self.folder / name).write_text(value)
        except OSError:
            self.close()
            raise

    def take(self, pid: int) -> None:
        """Move a process here; what it starts from now on is here too. Raises ``OSError`` if it can't be moved."""
        (self.folder / "cgroup.procs").write_text(str(pid))

    def out_of_memory(self) -> bool:
        """Whether the kernel ended a process because the group had used its memory."""
        try:
            lines = (self.folder / "memory.events").read_text().splitlines()
        except OSError:
            return False
        return any(line.startswith("oom_kill ") and line != "oom_kill 0" for line in lines)

    def close(self) -> None:
        """Remove it, once its processes have ended."""
        with contextlib.suppress(OSError):  # kernels before 5.14 don't have it; the caller has killed its processes
            (self.folder / "cgroup.kill").write_text("1")
        end = time.monotonic() + _END_SECONDS
        while time.monotonic() < end:
            try:
                return self.folder.rmdir()
            except FileNotFoundError:
                return None
            except OSError:
                time.sleep(0.01)


def values_of(limits: Limits) -> dict[str, str]:
    """The limits of a group, by the names of its files."""
    return {
        "memory.max": str(limits.memory + limits.out_bytes),
        "memory.oom.group": "1",
        "pids.max": str(limits.threads + _SPARE_TASKS),
    }


def handed_over(hierarchies: Sequence[Path] = HIERARCHIES, own: Path = _OWN) -> Path | None:
    """The group below which this process can make others with limits of memory and processes, None if there is none.

    Either its own group already has such groups below it, or the parent is delegated to this service, as systemd does
    with ``Delegate=memory pids`` and ``DelegateSubgroup=``: a group with limits below it holds no process itself.
    """
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return None
    path = next((line.removeprefix("0::").lstrip("/") for line in lines if line.startswith("0::")), None)
    for root in hierarchies:
        if path is None or not (root / "cgroup.controllers").is_file():
            continue
        if _limits_below(root / path):
            return root / path
        above = (root / path).parent
        if path and (_limits_below(above) or _turned_on(above)):
            return above
    return None


def _limits_below(folder: Path) -> bool:
    try:
        on = (folder / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False
    return set(on) >= _CONTROLLERS and _writable(folder)


def _turned_on(folder: Path) -> bool:
    """Whether limits of groups below ``folder`` could be turned on."""
    try:
        if not _writable(folder) or not set((folder / "cgroup.controllers").read_text().split()) >= _CONTROLLERS:
            return False
        (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in sorted(_CONTROLLERS)))
    except OSError:
        return False
    return _limits_below(folder)


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)
