"""Where each word of many texts stands, packed: built once, and read a few words at a time.

The words of all texts are numbered through, with a gap behind each text, so that a phrase is words at numbers that
follow each other. An entry (a trajectory) has the same few fields, each any number of texts.
"""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.columns import Bools, Ints
from evaluation.query.words import Word, words_of

BLOCK = 16_384
"""Places of words in one block; a word with more has them in one block all the same."""
LAST = "\U0010ffff"
_KINDS = (np.dtype("<u1"), np.dtype("<u2"), np.dtype("<u4"))
MANY = 16
"""A list so many times as long is searched, not walked through."""
NOWHERE = np.empty(0, np.int64)
_GAP = 0
"""Code of what stands between texts, and of no word."""


@dataclass(frozen=True, slots=True)
class Block:
    """The places of the words from ``first`` to ``last`` in order of their code points, packed."""

    first: str
    last: str
    words: bytes
    places: bytes

    def find(self, word: Word) -> Ints:
        """The places of the words here that are meant, in order."""
        names = zlib.decompress(self.words).decode().split("\n")
        low = bisect_left(names, word.text)
        high = bisect_left(names, word.text + LAST) if word.begins else low + (names[low : low + 1] == [word.text])
        return self._places(len(names), low, high) if high > low else NOWHERE

    def _places(self, words: int, low: int, high: int) -> Ints:
        data = zlib.decompress(self.places)
        head = np.frombuffer(data, _KINDS[2], 2 * words)
        steps = np.frombuffer(data, _KINDS[self.kind(data, words)], offset=8 * words)
        ends = np.cumsum(head[words:], dtype=np.int64)
        counts, begins = head[words + low : words + high], ends[low:high] - head[words + low : words + high]
        # One sum over the steps of all of them; the first step of each word is 0.
        places = np.cumsum(steps[begins[0] : ends[high - 1]], dtype=np.int64)
        places += np.repeat(head[low:high] - places[begins - begins[0]], counts)
        # Each rises already: they are merged, not sorted.
        return places if high - low == 1 else np.sort(places, kind="stable")

    @staticmethod
    def kind(data: bytes, words: int) -> int:
        """How wide the steps are, by how much room they take."""
        count = int(np.frombuffer(data, _KINDS[2], words, offset=4 * words).sum())
        return {1: 0, 2: 1, 4: 2}[(len(data) - 8 * words) // count]


@dataclass(frozen=True, slots=True)
class Packed:
    """``starts``: (entries x fields + 1,) the number of the first word of each field of each entry, and of the end."""

    starts: Ints
    fields: int
    blocks: Sequence[Block]

    def find(self, phrase: Sequence[Word]) -> Bools:
        """(entries, fields) where the phrase stands."""
        meant = {word: [block for block in self.blocks if meets(block.first, block.last, word)] for word in phrase}
        return found(phrase, meant, self.starts, self.fields)


def meets(first: str, last: str, word: Word) -> bool:
    """Whether a block of these words may hold the word."""
    return first <= (word.text + LAST if word.begins else word.text) and last >= word.text


class Packer:
    """Takes entries one by one."""

    def __init__(self, fields: int) -> None:
        self._fields = fields
        self._codes = array("i")
        self._starts: list[int] = []
        self._words: defaultdict[str, int] = defaultdict()
        self._words.default_factory = self._words.__len__
        self._words[""] = _GAP

    def __len__(self) -> int:
        """Words taken so far."""
        return len(self._codes)

    def add(self, *fields: Iterable[str]) -> None:
        """One more entry: the texts of each of its fields."""
        code = self._words.__getitem__
        for texts in fields:
            self._starts.append(len(self._codes))
            for text in texts:
                if text:
                    self._codes.extend(map(code, words_of(text)))
                    self._codes.append(_GAP)

    def pack(self) -> Packed:
        starts = np.array([*self._starts, len(self._codes)], np.int64)
        names = sorted(self._words)  # The gap, which is no word, comes first.
        rank = np.empty(len(names), np.int32)
        rank[[self._words[name] for name in names]] = np.arange(len(names), dtype=np.int32)
        ranked = rank[np.frombuffer(self._codes, np.int32)] if len(self._codes) else np.empty(0, np.int32)
        places = np.argsort(ranked, kind="stable")
        ends = np.cumsum(np.bincount(ranked, minlength=len(names)))
        return Packed(starts, self._fields, list(_blocks(names, places, ends)))


def _blocks(names: Sequence[str], places: Ints, ends: Ints) -> Iterator[Block]:
    first = 1
    while first < len(names):
        room = int(np.searchsorted(ends, ends[first - 1] + BLOCK, side="right"))
        last = max(first, room - 1)
        yield _block(names[first : last + 1], places[ends[first - 1] : ends[last]], np.diff(ends[first - 1 : last + 1]))
        first = last + 1


def _block(names: Sequence[str], places: Ints, counts: Ints) -> Block:
    steps = np.diff(places, prepend=0)
    begins = np.cumsum(counts) - counts
    firsts = places[begins]
    steps[begins] = 0
    kind = next(kind for kind in _KINDS if steps.max() <= np.iinfo(kind).max)
    parts: list[NDArray[np.generic]] = [firsts.astype(_KINDS[2]), counts.astype(_KINDS[2]), steps.astype(kind)]
    data = b"".join(part.tobytes() for part in parts)
    return Block(names[0], names[-1], zlib.compress("\n".join(names).encode(), 1), zlib.compress(data, 1))


def found(phrase: Sequence[Word], meant: Mapping[Word, Sequence[Block]], starts: Ints, fields: int) -> Bools:
    """(entries, fields) where a phrase stands, by the blocks that may hold each of its words."""
    entries = (len(starts) - 1) // fields
    there = {word: _joined([block.find(word) for block in meant.get(word, ())]) for word in set(phrase)}
    if not phrase or not all(map(len, there.values())):
        return np.zeros((entries, fields), np.bool_)
    begun = sorted(((there[word], place) for place, word in enumerate(phrase)), key=lambda one: len(one[0]))
    left, first = begun[0]
    for places, place in begun[1:]:
        left = left[_among(left + (place - first), places)]
    return _in_fields(left, starts).reshape(entries, fields)


def _among(wanted: Ints, there: Ints) -> Bools:
    """(n,) whether each is one of ``there``; both rise."""
    if len(wanted) * MANY < len(there):
        met: Bools = there[np.minimum(np.searchsorted(there, wanted), len(there) - 1)] == wanted
        return met
    low, high = there[0], there[-1]
    # A mark for each place between: no search, and the processor keeps it near.
    marked = np.zeros(high - low + 3, np.bool_)
    marked[there - (low - 1)] = True
    found: Bools = marked[np.clip(wanted, low - 1, high + 1) - (low - 1)]
    return found


def _joined(places: Sequence[Ints]) -> Ints:
    # As in ``Block``: merged, not sorted.
    return places[0] if len(places) == 1 else np.sort(np.concatenate([NOWHERE, *places]), kind="stable")


def _in_fields(places: Ints, starts: Ints) -> Bools:
    """(fields of all entries,) whether any of these places is in it."""
    if len(places) < len(starts):
        there = np.zeros(len(starts) - 1, np.bool_)
        there[np.searchsorted(starts, places, side="right") - 1] = True
        return there
    return np.diff(np.searchsorted(places, starts)) > 0
