"""Two acts at the same moment, over two real connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from django.db import connection, transaction

from webapp.common.errors import ApplicationError

MEETS = 0.4
"""Seconds in which the second connection gets as far as the first one lets it."""


@contextmanager
def meanwhile(do: Callable[[], Any], *, waits: bool = True, results: bool = False) -> Iterator[list[Any]]:
    """Begin ``do`` on a separate connection before what is written inside is committed; the block ends when both are
    done. Holds the error for people that refused ``do``; with ``results``, otherwise what it returned. Any other error,
    such as a deadlock, fails the test. ``waits``: whether it has to wait.
    """
    found: list[Any] = []
    begun = Event()

    def work() -> None:
        try:
            begun.wait()
            returned = do()
            if results:
                found.append(returned)
        except Exception as problem:  # noqa: BLE001 - told by the test's thread
            found.append(problem)
        finally:
            connection.close()

    thread = Thread(target=work)
    thread.start()
    with transaction.atomic():
        yield found
        begun.set()
        thread.join(MEETS)
        waited = thread.is_alive()
    thread.join()
    for problem in found:
        if isinstance(problem, Exception) and not isinstance(problem, ApplicationError):
            raise problem
    assert waited or not waits, "the second was to wait for the first"
