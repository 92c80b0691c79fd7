"""Caches results of tools by their inputs, so that a changed toolchain runs again only from the change on."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from annotation.toolbox.results import Picture, ToolResult


def picture_key(picture: Picture) -> str:
    """Return a key of an image: a digest of its shape and values."""
    return hashlib.sha256(repr(picture.shape).encode() + picture.tobytes()).hexdigest()


def result_key(tool: str, arguments: Mapping[str, Any], inputs: Sequence[str]) -> str:
    """Return the key of a result. Tools are deterministic, so tool, checked arguments and inputs determine it."""
    said = json.dumps([tool, dict(sorted(arguments.items())), list(inputs)], separators=(",", ":"))
    return hashlib.sha256(said.encode()).hexdigest()


class ResultCache:
    """A cache of the most recently used results with at most ``most_bytes`` of images. Thread-safe.

    Cached images are read-only, because all callers share them. Misses are looked up in the cache ``beside``.
    """

    def __init__(self, most_bytes: int = 512_000_000, beside: ResultCache | None = None) -> None:
        self.most_bytes = most_bytes
        self._beside = beside
        self._results: OrderedDict[str, ToolResult] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: str) -> ToolResult | None:
        with self._lock:
            found = self._results.get(key)
            if found is not None:
                self._results.move_to_end(key)
        return found if found is not None or self._beside is None else self._beside.get(key)

    def clear(self) -> None:
        with self._lock:
            self._results.clear()
            self._bytes = 0

    def put(self, key: str, result: ToolResult) -> None:
        """Cache a result and evict the least recently used ones. A result larger than the cache is not kept."""
        size = _bytes_of(result)
        if size > self.most_bytes:
            return
        if result.image is not None:
            result.image.flags.writeable = False
        with self._lock:
            if key in self._results:
                return
            self._results[key] = result
            self._bytes += size
            while self._bytes > self.most_bytes:
                self._bytes -= _bytes_of(self._results.popitem(last=False)[1])


def _bytes_of(result: ToolResult) -> int:
    """Return the bytes of the image, plus a small constant for the rest."""
    return 1000 + (result.image.nbytes if result.image is not None else 0)
