"""The process of a driver as its caller sees it: what it uses, and when it may run."""

from __future__ import annotations

import os
import signal
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PARENT, _USER, _SYSTEM, _THREADS = 1, 11, 12, 17
"""Fields of ``/proc/PID/stat`` behind the name of the process, counted from 0."""


class Driver:
    """A running driver. ``pid``: its number here; ``out``: its /out as this process sees it."""

    def __init__(self, pid: int, out: Path) -> None:
        self._pid, self._out = pid, out
        # The number of a process that has ended can be given to another one; its descriptor can't.
        self._handle = os.pidfd_open(pid)

    @classmethod
    def started_by(cls, parent: int, out: Path) -> Driver:
        """The only child of ``parent``. Raises ``ProcessLookupError`` if there is none."""
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and _fields(int(folder.name))[_PARENT : _PARENT + 1] == [str(parent)]:
                return cls(int(folder.name), out)
        raise ProcessLookupError("The process has ended.")

    def close(self) -> None:
        os.close(self._handle)

    def freeze(self) -> None:
        """Stop all its threads, also those that a cell left running."""
        self._send(signal.SIGSTOP)

    def thaw(self) -> None:
        self._send(signal.SIGCONT)

    def cpu(self) -> float:
        """Seconds of CPU of all its threads, 0 after its end."""
        fields = _fields(self._pid)
        return (int(fields[_USER]) + int(fields[_SYSTEM])) / _TICKS if fields else 0.0

    def threads(self) -> int:
        fields = _fields(self._pid)
        return int(fields[_THREADS]) if fields else 0

    def written(self, most: int) -> tuple[int, int]:
        """The number of entries in /out and their bytes; it stops counting after ``most`` entries.

        Raises ``OSError`` for what can't be read, such as a folder that is too deep: it could hide files.
        """
        count = size = 0
        for folder, folders, names in os.walk(self._out, onerror=_unless_gone):
            count += len(names) + len(folders)
            if count > most:
                break
            for name in names:
                try:
                    size += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118  fast for many files
                except FileNotFoundError:
                    continue
        return count, size

    def _send(self, number: signal.Signals) -> None:
        try:
            signal.pidfd_send_signal(self._handle, number)
        except ProcessLookupError:
            return  # its pipes end then, which shows why


def _fields(pid: int) -> list[str]:
    """Return the kernel's data about a process; empty after its end."""
    try:
        return Path("/proc", str(pid), "stat").read_text(errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _unless_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error
