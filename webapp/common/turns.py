"""One at a time, in the order in which they came."""

from __future__ import annotations

from collections import deque
from threading import Lock


class Turns:
    """A lock that goes to whoever has waited longest. ``threading.Lock`` goes to anybody, so that one of many who keep
    asking may wait for long."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._taken = False
        self._waiting: deque[Lock] = deque()

    @property
    def waiting(self) -> int:
        """How many wait now."""
        return len(self._waiting)

    def take(self, seconds: float) -> bool:
        """Wait for a turn for so long at most; whether it is ours now. Each that is taken is to be passed on once."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            mine = Lock()
            mine.acquire()
            self._waiting.append(mine)
        if mine.acquire(timeout=seconds):
            return True
        with self._guard:
            if mine in self._waiting:
                self._waiting.remove(mine)
                return False
        # It was passed to us in the moment in which we gave up.
        return True

    def pass_on(self) -> None:
        """The next in line goes on."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False
