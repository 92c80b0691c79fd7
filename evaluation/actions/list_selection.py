"""Some rows of the table of trajectories, and what is counted of them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.columns import Bools, Ints

DENSE = 8
"""A list of more than every so manieth row is counted without taking its rows out."""


class Selected:
    """Some of n rows. ``mask``: (n,) which. What is counted once is kept with them."""

    def __init__(self, mask: Bools) -> None:
        self.mask, self.n = mask, int(np.count_nonzero(mask))
        self._counted: dict[str, tuple[NDArray[Any], dict[int, int]]] = {}
        self._grouped: dict[str, Ints] = {}

    @cached_property
    def rows(self) -> Ints:
        """(``n``,) their places. To take rows by place is quicker than by mask, several times where half are in it."""
        return np.flatnonzero(self.mask)

    @property
    def dense(self) -> bool:
        return self.n * DENSE > len(self.mask)

    def of(self, column: NDArray[Any]) -> NDArray[Any]:
        """(``n``,) their values."""
        return column if self.n == len(self.mask) else column[self.rows]

    def counted(self, column: NDArray[Any], name: str) -> dict[int, int]:
        """How many have each value of a column of whole numbers."""
        known, counts = self._counted.get(name, (None, {}))
        if known is not column:
            counts = self._count(column)
            self._counted[name] = column, counts
        return counts

    def in_groups(self, name: str, begins: Ints, order: Ints | None = None) -> Ints:
        """How many there are of each group of rows that stand together, in this order of the rows where one is given.
        ``begins``: of each group, its first place. None is empty."""
        if name not in self._grouped:
            mask = self.mask if order is None else self.mask[order]
            self._grouped[name] = np.add.reduceat(mask.view(np.int8), begins, dtype=np.int64) if len(begins) else begins
        return self._grouped[name]

    def _count(self, column: NDArray[Any]) -> dict[int, int]:
        if not self.n:
            return {}
        if column.dtype.itemsize == 1 and self.dense:
            return self._counted_by_value(column)
        values = self.of(column)
        low = int(values.min())
        counts = np.bincount(values - low if low else values)
        return {low + place: int(counts[place]) for place in np.flatnonzero(counts).tolist()}

    def _counted_by_value(self, column: NDArray[Any]) -> dict[int, int]:
        """The same by a look at all rows for each value: bytes are compared a vector at a time."""
        codes = range(int(column.min()), int(column.max()) + 1)
        counts = {code: int(np.count_nonzero((column == code) & self.mask)) for code in codes}
        return {code: n for code, n in counts.items() if n}
