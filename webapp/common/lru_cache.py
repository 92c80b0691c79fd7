"""A cache of computed values that evicts the least recently used ones when it is full."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class LRUCache(Generic[T]):
    """Values that were asked for last, each by a key that holds all it was made of: nothing grows old.

    ``most``: how many.
    """

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, threading.Lock()
        self._found: OrderedDict[Hashable, T] = OrderedDict()
        self._making: dict[Hashable, threading.Event] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Made once, however many ask at the same time: the others wait for the first. Where that one fails, the next
        tries."""
        while True:
            with self._lock:
                if key in self._found:
                    self._found.move_to_end(key)
                    return self._found[key]
                if key not in self._making:
                    done = self._making[key] = threading.Event()
                    break
                waits_for = self._making[key]
            waits_for.wait()
        try:
            made = make()
            with self._lock:
                self._found[key] = made
                while len(self._found) > self._most:
                    self._found.popitem(last=False)
            return made
        finally:
            with self._lock:
                del self._making[key]
            done.set()

    def clear(self) -> None:
        with self._lock:
            self._found.clear()
