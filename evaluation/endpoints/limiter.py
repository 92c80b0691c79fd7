"""Limits the requests to an endpoint: per minute, in tokens per minute, and simultaneous ones.

The number of simultaneous requests adapts (additive increase, multiplicative decrease): w starts at 4, a success adds
1/w, an overload halves it, at most once a second.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from evaluation.endpoints.errors import CallCancelled

MINUTE = 61.0
"""Seconds of the window that counts: requests can take some time to arrive, so it is a second longer than a minute."""
FIRST_WINDOW = 4.0
HOSTED, LOCAL = 16, 64
"""Requests in flight at most, of hosted endpoints and of local servers."""
_HALVED_EVERY = 1.0
_LOOK_AGAIN = 0.1
"""Seconds between two looks at a limit that another thread may free."""
_SOON = 0.001
"""The shortest wait: a difference of two times can be too small to add to a third one."""


@dataclass(frozen=True)
class Limits:
    """Limits of an endpoint; None is no limit."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    in_flight: int = HOSTED


class Slot:
    """One request under way. Exactly one of its methods ends it; later calls change nothing."""

    def __init__(self, limiter: Limiter, tokens: int) -> None:
        self._limiter = limiter
        self._tokens = tokens
        self._ended = False

    def succeeded(self, tokens: int) -> None:
        """The request was answered and used these tokens."""
        self._end(tokens, "success")

    def overloaded(self) -> None:
        """The endpoint is overloaded: 429, 503, 529, or no connection."""
        self._end(0, "overload")

    def failed(self) -> None:
        """The request failed for another reason, so it says nothing about load. Its tokens may have been used."""
        self._end(self._tokens, "failure")

    def _end(self, tokens: int, outcome: str) -> None:
        if not self._ended:
            self._ended = True
            self._limiter._end(self, tokens - self._tokens, outcome)


class Limiter:
    """The limits of one endpoint in one process, for any number of threads.

    ``shares``: jobs that use the endpoint, of which this is one; each gets an equal part of all limits. If there are
    more jobs than requests per minute, each sends one in several minutes, and some can meet in the same minute.
    ``spent``: assume that the part of the last minute is used up, as after a restart or when another job begins.
    ``window``: of all jobs at the start; smaller after a restart, when earlier requests can still be under way.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        shares: int = 1,
        spent: bool = False,
        window: float = FIRST_WINDOW,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.limits = limits
        self._shares = max(1, shares)
        self._clock = clock
        self._sleep = sleep
        self._lock = Lock()
        self._window = max(1.0, window / self._shares)
        self._halved = float("-inf")
        self._in_flight = 0
        self._requests: deque[float] = deque()
        self._tokens: deque[list[float]] = deque()
        """Time and tokens of each request."""
        self._entries: dict[Slot, list[float]] = {}
        if spent:
            now = clock()
            self._requests.extend([now] * self._most_requests()[0] if limits.requests_per_minute else [])
            self._tokens.extend([[now, limits.tokens_per_minute / self._shares]] if limits.tokens_per_minute else [])

    @property
    def window(self) -> float:
        """Requests that may be in flight now."""
        return min(self._window, self._most_in_flight())

    def share(self, shares: int) -> None:
        """Divide the limits among this many jobs from now on."""
        with self._lock:
            self._shares = max(1, shares)

    def enter(self, tokens: int, cancelled: Callable[[], bool] = lambda: False) -> Slot:
        """Wait until a request of about this many tokens may be sent. Raises ``CallCancelled``."""
        while True:
            if cancelled():
                raise CallCancelled("Cancelled while waiting for the limits of the endpoint.")
            slot, wait = self.try_enter(tokens)
            if slot:
                return slot
            self._sleep(min(wait, 1.0))

    def try_enter(self, tokens: int) -> tuple[Slot | None, float]:
        """Return a slot, or None and the seconds after which to ask again."""
        with self._lock:
            now = self._clock()
            wait = max(self._wait_in_flight(), self._wait_requests(now), self._wait_tokens(now, tokens))
            if wait > 0:
                return None, wait
            slot = Slot(self, tokens)
            entry = [now, float(tokens)]
            self._entries[slot] = entry
            self._in_flight += 1
            if self.limits.requests_per_minute:
                self._requests.append(now)
            if self.limits.tokens_per_minute:
                self._tokens.append(entry)
            return slot, 0.0

    def _most_in_flight(self) -> float:
        return max(1.0, self.limits.in_flight / self._shares)

    def _most_requests(self) -> tuple[int, float]:
        """Requests and the seconds in which they may be sent: several in a minute, or one in several minutes."""
        rate = (self.limits.requests_per_minute or 0) / self._shares
        return (int(rate), MINUTE) if rate >= 1 else (1, MINUTE / rate)

    def _wait_in_flight(self) -> float:
        return 0.0 if self._in_flight < int(self.window) else _LOOK_AGAIN

    def _wait_requests(self, now: float) -> float:
        if not self.limits.requests_per_minute:
            return 0.0
        most, span = self._most_requests()
        while self._requests and self._requests[0] <= now - max(span, MINUTE * self._shares):
            self._requests.popleft()
        recent = [at for at in self._requests if at > now - span]
        return max(recent[-most] + span - now, _SOON) if len(recent) >= most else 0.0

    def _wait_tokens(self, now: float, tokens: int) -> float:
        """A request larger than the limit goes when it is alone."""
        if not self.limits.tokens_per_minute:
            return 0.0
        while self._tokens and self._tokens[0][0] <= now - MINUTE:
            self._tokens.popleft()
        most = self.limits.tokens_per_minute / self._shares
        used = sum(entry[1] for entry in self._tokens)
        if used + tokens <= most or not used:
            return 0.0
        for at, amount in self._tokens:
            used -= amount
            if used + tokens <= most:
                return max(at + MINUTE - now, _SOON)
        return max(self._tokens[-1][0] + MINUTE - now, _SOON)

    def _end(self, slot: Slot, difference: int, outcome: str) -> None:
        with self._lock:
            self._in_flight -= 1
            self._entries.pop(slot)[1] += difference
            if outcome == "success":
                self._window = min(self._most_in_flight(), self._window + 1 / self._window)
            elif outcome == "overload" and (now := self._clock()) >= self._halved + _HALVED_EVERY:
                self._window = max(1.0, self._window / 2)
                self._halved = now
