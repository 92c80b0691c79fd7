"""How much one person may ask for: at the same time, and in a stretch of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from webapp.common.errors import TooManyTries


class AtOnce:
    """So many requests of one person at the same time, in this process: what they cost is its memory and its processor.

    More are refused at once, not made to wait: each that waits would hold a thread.
    """

    def __init__(self, most: int, what: str) -> None:
        self._most, self._what = most, what
        self._running: Counter[str] = Counter()
        self._lock = Lock()

    @contextmanager
    def one_of(self, who: object) -> Iterator[None]:
        """Raises ``TooManyTries``."""
        name = str(who)
        with self._lock:
            if self._running[name] >= self._most:
                raise TooManyTries(f"{self._most} {self._what} of yours are running already.", wait=1)
            self._running[name] += 1
        try:
            yield
        finally:
            with self._lock:
                self._running[name] -= 1
                if not self._running[name]:
                    del self._running[name]
