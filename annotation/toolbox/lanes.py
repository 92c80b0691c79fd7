"""Schedules the toolchains of several people in one process: calls wait for their turn in queues, and requests that an
editor has replaced are dropped.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock, get_native_id

import cv2

from annotation.toolbox.results import ToolResult

OF_ITS_OWN = 16_000_000
"""From this size in bytes on, an image gets its own memory mapping. A 4K image has 25 million bytes. Columns of a
million rows have less: they are allocated and freed all the time, and take twice as long if the system has to map each
of them again.
"""
_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1
KEPT_FREE = 64_000_000
"""The number of free bytes that the heap keeps for later allocations."""

LONG = 1.0
"""From this predicted duration on, in seconds, a call runs in a separate lane."""


class BusyError(Exception):
    """The lane is full, and another call would wait long. The caller should try again later."""


class SupersededError(Exception):
    """The same editor has sent a newer request."""


class Asked:
    """One request of an editor; ``over`` if a newer one exists."""

    def __init__(self) -> None:
        self.over = False
        self._waiting: Future[ToolResult] | None = None

    def supersede(self) -> None:
        self.over = True
        if self._waiting is not None:
            self._waiting.cancel()

    def check(self) -> None:
        if self.over:
            raise SupersededError

    def wait(self, work: Future[ToolResult]) -> ToolResult:
        """Return the result of work that waits in a lane. Work that has not started when the request is over is
        canceled.
        """
        self._waiting = work
        if self.over:
            work.cancel()
        try:
            return work.result()
        except CancelledError:
            raise SupersededError from None
        finally:
            self._waiting = None


class Editors:
    """The latest request of each editor, by the name that it chose."""

    def __init__(self) -> None:
        self._latest: dict[str, Asked] = {}
        self._lock = Lock()

    @contextmanager
    def asking(self, editor: str) -> Iterator[Asked]:
        """Register one request from beginning to end. It ends the previous one of the same editor; "" is no editor."""
        asked = Asked()
        with self._lock:
            former = self._latest.get(editor)
            if editor:
                self._latest[editor] = asked
        if former is not None:
            former.supersede()
        try:
            yield asked
        finally:
            with self._lock:
                if self._latest.get(editor) is asked:
                    del self._latest[editor]


class Lane:
    """Runs calls one after another in a separate thread, in order of arrival. Calls, not toolchains, take turns, so
    that the toolchains of several people progress together. ``nice``: by how much the thread lowers its priority
    (Linux).
    """

    def __init__(self, most_waiting: int, nice: int) -> None:
        self.most_waiting = most_waiting
        self._waiting = 0
        self._lock = Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="toolbox", initializer=_stand_back, initargs=(nice,))

    def run(self, call: Callable[[], ToolResult], asked: Asked) -> ToolResult:
        """Wait for the turn of a call and return its result. Raises ``BusyError`` and ``SupersededError``."""
        asked.check()
        with self._lock:
            if self._waiting > self.most_waiting:
                raise BusyError
            self._waiting += 1
        work = self._pool.submit(call)
        work.add_done_callback(self._left)
        return asked.wait(work)

    def _left(self, _: Future[ToolResult]) -> None:
        with self._lock:
            self._waiting -= 1


class Lanes:
    """The lanes of one process.

    Calls with a person waiting run at once. A call of a full toolchain takes turns with those of others. A long call
    runs in a separate lane with a lower priority, so that it delays no other call. One call uses one core, because more
    would only take it from others.
    """

    def __init__(self) -> None:
        _memory_goes_back()
        self.whole = Lane(most_waiting=3, nice=5)
        self.long = Lane(most_waiting=1, nice=5)

    def work(self, seconds: float, call: Callable[[], ToolResult], *, whole: bool, asked: Asked) -> ToolResult:
        """Run a call with a predicted duration of ``seconds``. Raises ``BusyError`` and ``SupersededError``."""
        asked.check()
        if cv2.getNumThreads() != 1:
            cv2.setNumThreads(1)
        if seconds >= LONG:
            return self.long.run(call, asked)
        return self.whole.run(call, asked) if whole else call()


def _memory_goes_back() -> None:
    """Let glibc return freed memory to the system. By default, it starts to allocate large images on the heap, where
    small blocks between them retain hundreds of MB.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        for option, size in ((_MMAP_THRESHOLD, OF_ITS_OWN), (_TRIM_THRESHOLD, KEPT_FREE)):
            mallopt(option, size)


def _stand_back(nice: int) -> None:
    if sys.platform == "linux":  # on other systems, a priority applies to the entire process
        os.setpriority(os.PRIO_PROCESS, get_native_id(), nice)
