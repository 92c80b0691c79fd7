"""What is made once is made once, whoever asks at the same time, and goes where there is no room."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from webapp.common.lru_cache import LRUCache


def test_many_who_ask_at_the_same_time_wait_for_the_first():
    """D11.2: eight threads, one value made."""
    kept: LRUCache[list[int]] = LRUCache(4)
    together, made = threading.Barrier(8), []

    def make() -> list[int]:
        made.append(1)
        threading.Event().wait(0.05)  # long enough for the others to ask
        return made

    def ask(_: int) -> list[int]:
        together.wait()
        return kept.get("one", make)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert (len(made), len({id(one) for one in found})) == (1, 1)


def test_where_the_first_fails_the_next_tries_and_nobody_waits_for_ever():
    kept: LRUCache[int] = LRUCache(4)

    def fails() -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        kept.get("one", fails)
    assert kept.get("one", lambda: 7) == 7


def test_the_value_that_nobody_asked_for_longest_goes_first():
    kept: LRUCache[int] = LRUCache(2)
    made: list[int] = []

    def asked(value: int) -> int:
        return kept.get(value, lambda: made.append(value) or value)  # type: ignore[func-returns-value]

    for value in (4, 5, 4, 3, 4, 5):
        asked(value)
    assert made == [4, 5, 3, 5]
