"""Events of a benchmark, other than changes of gold and facets, that other packages use: accepted toolchains, images.

This package does not know its subscribers. They subscribe here once.
"""

from __future__ import annotations

from collections.abc import Callable

from annotation.models import Benchmark

_TOLD: list[Callable[[Benchmark], None]] = []
_PURGED: list[Callable[[], None]] = []


def subscribe(call: Callable[[Benchmark], None]) -> None:
    """Have this called, inside the transaction, once such facts of a benchmark have changed. Asked for at the start."""
    if call not in _TOLD:
        _TOLD.append(call)


def notify_changed(benchmark: Benchmark) -> None:
    """Notify all subscribers. Call inside the transaction of the change."""
    for call in _TOLD:
        call(benchmark)


def subscribe_to_purges(call: Callable[[], None]) -> None:
    """Have this called, inside the transaction, once the rows of a benchmark were deleted permanently."""
    if call not in _PURGED:
        _PURGED.append(call)


def notify_purged() -> None:
    """Notify all subscribers. Call inside the transaction of the last deletion."""
    for call in _PURGED:
        call()
