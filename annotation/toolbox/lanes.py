"""Who works when, where several people run chains in one process: lines in which each call waits for its turn, and what
an editor asked for before its last change."""

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
"""Bytes from which on an image has memory of its own: one of 4K has 25 million. Columns of a million rows have less;
they are made and dropped all the time, and take twice as long where each is asked of the system again."""
_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1
KEPT_FREE = 64_000_000
"""Bytes that the heap keeps for what comes next."""

LONG = 1.0
"""Seconds that a call is foretold to take from which on it works in a lane of its own."""


class BusyError(Exception):
    """The lane is so full that another call would wait long. The caller should try again later."""


class SupersededError(Exception):
    """The same editor has asked for something else since."""


class Asked:
    """One request of an editor; ``over`` when a later one has come."""

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
        """The result of work that waits in a lane. What is not begun when the request is over is left."""
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
    """The latest request of every editor, by a name that it chose."""

    def __init__(self) -> None:
        self._latest: dict[str, Asked] = {}
        self._lock = Lock()

    @contextmanager
    def asking(self, editor: str) -> Iterator[Asked]:
        """One request from its beginning to its end. The one before of the same editor is over; "" is nobody's."""
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
    """One call after another in a thread of its own, in the order they came: a call at a time, so that the chains of
    several people go on in turn. ``nice``: how far it stands back behind others for the processor (Linux)."""

    def __init__(self, most_waiting: int, nice: int) -> None:
        self.most_waiting = most_waiting
        self._waiting = 0
        self._lock = Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="toolbox", initializer=_stand_back, initargs=(nice,))

    def run(self, call: Callable[[], ToolResult], asked: Asked) -> ToolResult:
        """The call's result, when it was its turn. Raises ``BusyError`` and ``SupersededError``."""
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
    """The lanes of one process. What a person waits for at once runs at once; a call of a whole chain takes turns with
    those of others; one that takes long is alone in its lane, and stands back, so that it stops nobody.

    One call works on one core: more would only take it from others.
    """

    def __init__(self) -> None:
        _memory_goes_back()
        self.whole = Lane(most_waiting=3, nice=5)
        self.long = Lane(most_waiting=1, nice=5)

    def work(self, seconds: float, call: Callable[[], ToolResult], *, whole: bool, asked: Asked) -> ToolResult:
        """Do a call that is foretold to take so many seconds. Raises ``BusyError`` and ``SupersededError``."""
        asked.check()
        if cv2.getNumThreads() != 1:
            cv2.setNumThreads(1)
        if seconds >= LONG:
            return self.long.run(call, asked)
        return self.whole.run(call, asked) if whole else call()


def _memory_goes_back() -> None:
    """Else glibc learns to take large images from a heap, where what lies between them holds hundreds of MB."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        for option, size in ((_MMAP_THRESHOLD, OF_ITS_OWN), (_TRIM_THRESHOLD, KEPT_FREE)):
            mallopt(option, size)


def _stand_back(nice: int) -> None:
    if sys.platform == "linux":  # elsewhere a priority is the whole process's
        os.setpriority(os.PRIO_PROCESS, get_native_id(), nice)
