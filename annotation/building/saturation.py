"""Whether the tool bank of a board still grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BLOCK, LAST = 100, 300


@dataclass(frozen=True, slots=True)
class Growth:
    """``items``: numbers of the first and the last item, counted from 1. ``per_hundred``: new tools per 100 items."""

    items: tuple[int, int]
    new: int

    @property
    def per_hundred(self) -> float:
        first, last = self.items
        return 100 * self.new / (last - first + 1)


def saturation(new_tools: Sequence[int]) -> list[Growth]:
    """The growth in the last 300 items, in blocks of 100; the last block ends with the last item. ``new_tools``: of
    each item with distractors, in the order of the items, how many tools it added to the bank. A bank is saturated
    when the numbers approach 0. Empty without items."""
    blocks = []
    last = len(new_tools)
    while last > max(0, len(new_tools) - LAST):
        first = max(0, last - BLOCK)
        blocks.append(Growth((first + 1, last), sum(new_tools[first:last])))
        last = first
    return blocks[::-1]
