"""Limits of requests of one person: simultaneous ones, and those within a period."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock
from typing import Any, ClassVar

from django.conf import settings
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils.translation import gettext

from webapp.common.errors import TooManyTries
from webapp.common.http import client_address, network_of
from webapp.common.models import RequestCount

SHARES = 20
"""Of several processes each takes this part of a limit at a time from the database."""

logger = logging.getLogger(__name__)


class AtOnce:
    """A limit of simultaneous requests of one person in this process, because they use its memory and processor.

    Further requests are rejected at once, because each waiting request would occupy a thread.
    """

    def __init__(self, most: int, sentence: str) -> None:
        """``sentence`` is what a person over the limit reads, with the placeholder ``limit``; it is translated."""
        self._most, self._sentence = most, sentence
        self._running: Counter[str] = Counter()
        self._lock = Lock()

    @contextmanager
    def one_of(self, who: object) -> Iterator[None]:
        """Raises ``TooManyTries``."""
        name = str(who)
        with self._lock:
            if self._running[name] >= self._most:
                raise TooManyTries(gettext(self._sentence) % {"limit": self._most}, wait=1)
            self._running[name] += 1
        try:
            yield
        finally:
            with self._lock:
                self._running[name] -= 1
                if not self._running[name]:
                    del self._running[name]


class Rate:
    """A limit of requests of one person in a number of seconds, counted for all processes together.

    A single process counts in its memory. Several take shares of the limit from the database: a share is one write, and
    what is left of it when the time is over is lost, so that the limit is never passed and is reached within a share
    for each process. ``settings.RATES`` has the numbers.
    """

    known: ClassVar[list[Rate]] = []

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = Lock()
        self._window = 0
        self._left: dict[str, int] = {}
        self.known.append(self)

    def take(self, who: str) -> None:
        """Count one request. Raises ``TooManyTries``."""
        wait = self.over(who)
        if wait:
            raise TooManyTries(gettext("Too many requests."), wait=wait)

    def over(self, who: str) -> float:
        """Count one request; the seconds until the next one is taken, 0 for one that is."""
        most, seconds = settings.RATES[self._name]
        now = time.time()
        window = int(now // seconds)
        wait = (window + 1) * seconds - now
        with self._lock:
            if window != self._window:
                self._window, self._left = window, {}
            left = self._left.get(who, 0 if settings.SEVERAL_PROCESSES else most)
            if left > 0:
                self._left[who] = left - 1
                return 0
            if left < 0 or not settings.SEVERAL_PROCESSES:
                return wait
        more = self._more(f"{self._name}:{who}:{window}", most, now + wait)
        with self._lock:
            left = max(0, self._left.get(who, 0)) + more
            self._left[who] = left - 1 if left > 0 else -1
        return 0 if left > 0 else wait

    def forget(self) -> None:
        """Begin again."""
        with self._lock:
            self._left = {}

    def _more(self, key: str, most: int, until: float) -> int:
        """Reserve a share of the limit and return what is left of it; 0 or less if it is used up."""
        share = max(1, most // SHARES)
        try:
            return min(share, most - _counted(key, share, datetime.fromtimestamp(until, UTC)))
        except DatabaseError:
            # Code that needs the database reports its outage.
            logger.warning("Requests could not be counted.", exc_info=True)
            return share


def asking(request: HttpRequest | Any) -> str:
    """The key of a requester for ``Rate``: the person, or the network of a visitor."""
    if request.user.is_authenticated:
        return f"person {request.user.pk}"
    return network_of(client_address(request)) or "somewhere"


def sweep_counts(now: datetime) -> None:
    """Forget what no window counts any more."""
    RequestCount.objects.filter(until__lt=now).delete()


def _counted(key: str, share: int, until: datetime) -> int:
    """Add a share to what was counted; how much it was before."""
    for _ in range(2):
        with transaction.atomic():
            if RequestCount.objects.filter(key=key).update(count=F("count") + share):
                return RequestCount.objects.get(key=key).count - share
        try:
            with transaction.atomic():
                RequestCount.objects.create(key=key, count=share, until=until)
            return 0
        except IntegrityError:
            continue  # another process was first
    return 0
