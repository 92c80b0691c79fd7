"""Threads that run attempts, and a single thread that stores their events.

An attempt never uses the database. It sends its owner an event and waits until that is committed. The owner collects
waiting events, stores them in one transaction, and answers each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, Generic, Protocol, TypeVar

WorkT = TypeVar("WorkT")
WorkT_contra = TypeVar("WorkT_contra", contravariant=True)


_TOGETHER = 0.005
"""Seconds that the owner waits for more events before it stores them."""


class Stopped(Exception):
    """The attempt must end now, without another request. Its stored events stay, and it can continue later."""


@dataclass(eq=False)
class Ask(Generic[WorkT]):
    """An event of an attempt that waits to be stored. ``grant`` or ``refuse`` resumes its thread."""

    work: WorkT
    event: Any
    _answered: Event = field(default_factory=Event)
    _refused: bool = False

    def grant(self) -> None:
        self._answered.set()

    def refuse(self) -> None:
        """Raise ``Stopped`` in the thread."""
        self._refused = True
        self._answered.set()

    def wait(self) -> None:
        self._answered.wait()
        if self._refused:
            raise Stopped


class Port(Protocol):
    """The interface for an attempt: storing events, and checking whether it must end."""

    def store(self, event: Any) -> None:
        """Wait until the event is stored. Raises ``Stopped``."""

    def stopping(self) -> bool:
        """Return whether the attempt must end."""


class Body(Protocol[WorkT_contra]):
    def __call__(self, work: WorkT_contra, port: Port) -> Any:
        """Run an attempt to its end; return its last event."""


@dataclass(frozen=True)
class Ended:
    """The last event of an attempt: the return value or exception of its body; both None if it was stopped."""

    outcome: Any = None
    fault: BaseException | None = None


class Pool(Generic[WorkT]):
    """Runs up to ``threads`` attempts at once. Use it as a context manager, from one thread."""

    def __init__(self, threads: int, body: Callable[[WorkT, Port], Any]) -> None:
        self.threads, self._body = threads, body
        self._asks: SimpleQueue[Ask[WorkT]] = SimpleQueue()
        self._running: dict[int, Thread] = {}
        self._stopping = Event()

    def __enter__(self) -> Pool[WorkT]:
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the attempts. Their threads end at their next event; threads that wait for an endpoint are
        not joined.
        """
        self.stop()
        end = time.monotonic() + 1.0
        while self._running and time.monotonic() < end:
            for ask in self.take(0.05):
                ask.refuse()

    @property
    def free(self) -> int:
        return self.threads - len(self._running)

    @property
    def busy(self) -> bool:
        return bool(self._running)

    def stop(self) -> None:
        """Signal the attempts to end."""
        self._stopping.set()

    def start(self, work: WorkT) -> None:
        thread = Thread(target=self._run, args=(work,), name="attempt", daemon=True)
        self._running[id(work)] = thread
        thread.start()

    def take(self, seconds: float, most: int = 200) -> list[Ask[WorkT]]:
        """Return waiting events, after at most this time. An ``Ended`` frees the thread."""
        taken = list(self._come(seconds, most))
        for ask in taken:
            if isinstance(ask.event, Ended):
                self._running.pop(id(ask.work), None)
        return taken

    def _come(self, seconds: float, most: int) -> Iterator[Ask[WorkT]]:
        """Yield events. Those that arrive soon after the first one are stored with it."""
        try:
            yield self._asks.get(timeout=seconds)
            end = time.monotonic() + _TOGETHER
            for _ in range(most - 1):
                yield self._asks.get(timeout=max(0.0, end - time.monotonic()))
        except Empty:
            return

    def _run(self, work: WorkT) -> None:
        port = _ThreadPort(self._asks, work, self._stopping)
        try:
            ended = Ended(self._body(work, port))
        except Stopped:
            ended = Ended()
        except Exception as fault:  # noqa: BLE001  the owner decides what it means
            ended = Ended(fault=fault)
        self._asks.put(Ask(work, ended))


class _ThreadPort(Generic[WorkT]):
    def __init__(self, asks: SimpleQueue[Ask[WorkT]], work: WorkT, stopping: Event) -> None:
        self._asks, self._work, self._stopping = asks, work, stopping

    def store(self, event: Any) -> None:
        if self._stopping.is_set():
            raise Stopped
        ask = Ask(self._work, event)
        self._asks.put(ask)
        ask.wait()

    def stopping(self) -> bool:
        return self._stopping.is_set()
