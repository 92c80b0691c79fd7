"""When Python looks for garbage that refers to itself."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Rows read by the hundred thousand refer to nothing but values: walking through all of them again and again, as
    more come in, finds nothing and takes a tenth of the time of scoring. Memory is given back as always."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def collect_recent() -> None:
    """While it is paused: what refers to itself among all that was made since this was last called. What came in and
    went again meanwhile is gone already, so there is little to walk through."""
    gc.collect(1)
