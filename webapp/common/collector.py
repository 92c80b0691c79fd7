"""When Python looks for garbage that refers to itself."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Rows read by the hundred thousand refer to nothing but values: walking through all of them again and again, as
    more come in, finds nothing and takes a tenth of the time of scoring. Memory is given back as always."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
