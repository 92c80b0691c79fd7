"""A text that maps each of its characters to a position in the original text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Self

Edit = tuple[int, int, str]
"""Start, end and what is there instead."""


class Text:
    """``s`` and its mapping to the source: piecewise the same characters as in ``source``, or the raw text
    without one.
    """

    __slots__ = ("_back", "_cuts", "_source", "s")

    def __init__(
        self, s: str, source: Text | None = None, cuts: list[int] | None = None, back: list[int] | None = None
    ) -> None:
        self.s = s
        self._source = source
        self._cuts = cuts if cuts is not None else [0]
        self._back = back if back is not None else [0]

    def at(self, place: int) -> int:
        """The position in the raw text of the character at ``place``."""
        text: Text | None = self
        while text is not None:
            piece = bisect_right(text._cuts, place) - 1
            place = text._back[piece] + place - text._cuts[piece]
            text = text._source
        return place

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The range of ``s[start:end]`` in the raw text; (0, 0) of an empty one."""
        return (self.at(start), self.at(end - 1) + 1) if start < end else (0, 0)

    def cut(self, start: int, end: int) -> Text:
        """The part from ``start`` to ``end``."""
        if start == 0 and end == len(self.s):
            return self
        return Text(self.s[start:end], self, [0], [start])

    def strip(self) -> Text:
        """Remove spaces at the ends."""
        if self.s and not self.s[0].isspace() and not self.s[-1].isspace():
            return self
        start = len(self.s) - len(self.s.lstrip())
        return self.cut(start, max(start, len(self.s.rstrip())))

    def edit(self, edits: Iterable[Edit]) -> Self | Text:
        """Apply ``edits``, which are in order and do not overlap."""
        parts: list[str] = []
        cuts: list[int] = []
        back: list[int] = []
        length = last = 0
        for start, end, new in edits:
            if start > last:
                cuts.append(length)
                back.append(last)
                parts.append(self.s[last:start])
                length += start - last
            for number in range(len(new)):
                cuts.append(length + number)
                back.append(min(start + number, end - 1) if end > start else max(0, start - 1))
            parts.append(new)
            length += len(new)
            last = end
        if not last and not parts:
            return self
        cuts.append(length)
        back.append(last)
        parts.append(self.s[last:])
        return Text("".join(parts), self, cuts, back)

    def replace(self, pattern: re.Pattern[str], new: str | Callable[[re.Match[str]], str]) -> Text:
        """Replace every match of ``pattern``, as ``re.sub`` does."""
        found = pattern.finditer(self.s)
        if isinstance(new, str):
            return self.edit((m.start(), m.end(), new) for m in found)
        return self.edit((m.start(), m.end(), new(m)) for m in found)
