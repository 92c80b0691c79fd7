"""Compares two texts word by word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST_PAIRS = 20_000
"""Pairs of equal words that are looked at: with many more, such as of one word a thousand times, it takes a minute."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: ``same`` in both, ``cut`` from the older or ``new`` in the newer."""

    kind: str
    text: str


def word_diff(old: Sequence[str], new: Sequence[str], *, joined: str, longest: int) -> list[Piece]:
    """Return the pieces of two texts, given as words that are ``joined`` by a text. Words of spaces alone never align
    texts. Texts with more than ``longest`` words, or that repeat the same words very often, are returned whole."""
    if not old or not new or max(len(old), len(new)) > longest or _pairs(old, new) > MOST_PAIRS:
        return [Piece(kind, joined.join(words)) for kind, words in (("cut", old), ("new", new)) if words]
    found = []
    for kind, old_from, old_to, new_from, new_to in SequenceMatcher(str.isspace, old, new, False).get_opcodes():
        if kind == "equal":
            found.append(Piece("same", joined.join(old[old_from:old_to])))
            continue
        if old_from < old_to:
            found.append(Piece("cut", joined.join(old[old_from:old_to])))
        if new_from < new_to:
            found.append(Piece("new", joined.join(new[new_from:new_to])))
    return found


def _pairs(old: Sequence[str], new: Sequence[str]) -> int:
    before, after = Counter(old), Counter(new)
    return sum(n * after[word] for word, n in before.items() if not word.isspace())
