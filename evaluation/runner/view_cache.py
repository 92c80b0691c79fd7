"""Encoded images by the content and size that they were made from: rollouts of a sample send the same ones."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from annotation.imaging.model_view import ModelView


class ViewCache:
    """The views last asked for, at most ``most_bytes`` together. Safe among threads."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._views: OrderedDict[tuple[str, int, int], ModelView] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: tuple[str, int, int]) -> ModelView | None:
        """Return the view of a file (its SHA-256) at a (width, height), None if it is not kept."""
        with self._lock:
            if key in self._views:
                self._views.move_to_end(key)
            return self._views.get(key)

    def put(self, key: tuple[str, int, int], view: ModelView) -> None:
        """Keep a view; those unused for the longest time make room."""
        with self._lock:
            if key in self._views or len(view.data) > self._most:
                return
            self._views[key] = view
            self._bytes += len(view.data)
            while self._bytes > self._most:
                self._bytes -= len(self._views.popitem(last=False)[1].data)
