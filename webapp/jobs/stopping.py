"""Telling the bodies of jobs that their worker is to end, over the border of processes."""

import mmap
from typing import Protocol


class Stopping(Protocol):
    """Whether the worker is to end: an Event in one process, or a SharedFlag."""

    def is_set(self) -> bool: ...


class SharedFlag:
    """Set once, for this process and all that are forked from it, before or after.

    One byte of shared memory: nothing to wait for or to lock, so a process that is killed leaves nothing held, and a
    signal handler may set it.
    """

    def __init__(self) -> None:
        self._byte = mmap.mmap(-1, 1)

    def set(self) -> None:
        self._byte[0] = 1

    def is_set(self) -> bool:
        return self._byte[0] == 1
