"""Where the rows of a table stand, by their numbers."""

from __future__ import annotations

import numpy as np

from evaluation.metrics.columns import Ints

ROOM = 2
"""Numbers up to so many times as far apart as there are rows are looked up; others are searched for."""


class Places:
    """``numbers``: (n,) all different, in the order of the table."""

    def __init__(self, numbers: Ints) -> None:
        self._numbers = numbers
        self._low = int(numbers.min()) if len(numbers) else 0
        span = int(numbers.max()) - self._low + 1 if len(numbers) else 0
        near = span <= ROOM * len(numbers)
        self._order = None if near else np.argsort(numbers).astype(np.min_scalar_type(len(numbers)))
        self._at = np.full(span if near else 0, -1, np.int32)
        if near:
            self._at[numbers - self._low] = np.arange(len(numbers), dtype=np.int32)

    @property
    def nbytes(self) -> int:
        return self._at.nbytes + (0 if self._order is None else self._order.nbytes)

    def of(self, wanted: Ints) -> Ints:
        """(at most as many as ``wanted``,) the place of each, in this order; those that are not there are left out."""
        if self._order is None:
            inside = wanted - self._low
            at: Ints = self._at[inside[(inside >= 0) & (inside < len(self._at))]].astype(np.int64)
            return at[at >= 0]
        found = np.searchsorted(self._numbers, wanted, sorter=self._order)
        places: Ints = self._order[np.minimum(found, len(self._order) - 1)].astype(np.int64)
        return places[self._numbers[places] == wanted]
