"""Some rows of the table of trajectories, and what is counted of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.columns import Bools, Ints
from evaluation.query.samples import SampleRows

Bits: TypeAlias = "NDArray[np.uint64]"
Counts: TypeAlias = dict[str, Any]
"""What was counted of some rows, by name."""
T = TypeVar("T")


def packed(mask: Bools) -> Bits:
    """n truth values as bits of whole words."""
    words = np.zeros(-(-len(mask) // 64), np.uint64)
    words.view(np.uint8)[: -(-len(mask) // 8)] = np.packbits(mask)
    return words


def digest(mask: Bools) -> bytes:
    """A key for these rows: that others have the same is out of the question."""
    return hashlib.blake2b(np.packbits(mask).tobytes(), digest_size=16).digest()


class Selected:
    """Some of n rows. ``mask``: (n,) which. ``counts``: what was counted of just these before, and is again."""

    def __init__(self, mask: Bools, counts: Counts | None = None) -> None:
        self.mask, self.n = mask, int(np.count_nonzero(mask))
        self._counts: Counts = {} if counts is None else counts

    def once(self, name: str, count: Callable[[], T]) -> T:
        """What is counted of these rows under this name, which is counted once."""
        if name not in self._counts:
            self._counts[name] = count()
        found: T = self._counts[name]
        return found

    @cached_property
    def rows(self) -> Ints:
        """(``n``,) their places. To take rows by place is quicker than by mask, several times where half are in it."""
        return np.flatnonzero(self.mask)

    def of(self, column: NDArray[Any]) -> NDArray[Any]:
        """(``n``,) their values."""
        return column if self.n == len(self.mask) else column[self.rows]

    def counted(self, column: NDArray[Any]) -> dict[int, int]:
        """How many have each value of a column of whole numbers."""
        if not self.n:
            return {}
        values = self.of(column)
        low = int(values.min())
        counts = np.bincount(values - low if low else values)
        return {low + place: int(counts[place]) for place in np.flatnonzero(counts).tolist()}

    def counted_in(self, values: Mapping[int, Bits]) -> dict[int, int]:
        """The same of a column of few values, by the rows with each: nothing is looked up row by row."""
        here = packed(self.mask)
        counts = {value: int(np.bitwise_count(rows & here).sum()) for value, rows in values.items()}
        return {value: n for value, n in counts.items() if n}

    def per_sample(self, by_sample: SampleRows) -> Ints:
        """(samples,) how many each sample has."""
        return self.once("per sample", lambda: by_sample.counted(self.mask))


class Joint:
    """Columns of few values each, (n,) whole numbers, as one column of the combinations that there are: a selection is
    counted once for all of them."""

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        combined: Any = 0
        spans = {}
        for name, column in columns.items():
            low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
            spans[name] = low, high - low + 1
            combined = combined * spans[name][1] + (column.astype(np.int64) - low)
        there, codes = np.unique(combined, return_inverse=True)
        self._codes = codes.astype(np.min_scalar_type(len(there)))
        self._all = np.bincount(self._codes, minlength=len(there))
        self._values: dict[str, tuple[int, Ints]] = {}
        for name, (low, span) in reversed(spans.items()):
            there, value = np.divmod(there, span)
            self._values[name] = low, value

    def counted(self, found: Selected) -> dict[str, dict[int, int]]:
        """By name of the column: how many of these rows have each value."""
        combinations, counts = self._combinations(found), {}
        for name, (low, value) in self._values.items():
            sums = np.bincount(value, weights=combinations).astype(np.int64)
            counts[name] = {low + place: int(sums[place]) for place in np.flatnonzero(sums).tolist()}
        return counts

    def _combinations(self, found: Selected) -> Ints:
        """How many of these rows have each combination: of most rows, all but those of the others."""
        if 2 * found.n <= len(self._codes):
            return np.bincount(self._codes[found.rows], minlength=len(self._all))
        others = self._codes[np.flatnonzero(~found.mask)]
        return self._all - np.bincount(others, minlength=len(self._all))
