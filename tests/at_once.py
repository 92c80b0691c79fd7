"""Two acts at the same moment, over two real connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from django.db import connection, transaction

MEETS = 0.4
"""Seconds in which the second connection gets as far as the first one lets it."""


@contextmanager
def meanwhile(do: Callable[[], Any]) -> Iterator[list[Exception]]:
    """Begins ``do`` on a connection of its own while what is written inside is not committed yet; the block ends when
    both are done. Holds what ``do`` was refused with."""
    refused: list[Exception] = []
    begun = Event()

    def work() -> None:
        try:
            begun.wait()
            do()
        except Exception as problem:  # noqa: BLE001 - told by the test's thread
            refused.append(problem)
        finally:
            connection.close()

    thread = Thread(target=work)
    thread.start()
    with transaction.atomic():
        yield refused
        begun.set()
        thread.join(MEETS)
        assert thread.is_alive(), "the second was to wait for the first"
    thread.join()
