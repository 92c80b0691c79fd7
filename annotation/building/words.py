"""Words of instructions, descriptions and tool names, and when two of them are forms of one word."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

WORD = re.compile(r"[^\W_]+")
LETTERS = re.compile(r"[^\W\d_]{2,}")
VOWELS = "aeiou"
MOST_JOINED = 4
"""Words that can make one: tape measure, tapemeasure."""
_VOCABULARY: Mapping[str, str] = json.loads((Path(__file__).parent / "vocabulary.json").read_text())
SIBILANT = re.compile(r"(?:s|x|z|ch|sh|o)es$")


def words_of(text: str) -> list[str]:
    """The words of a text, in small letters and without signs: "Torx-Bits, 5 mm" -> torx bits 5 mm. "hammer's" is
    hammer."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return WORD.findall(re.sub(r"['’]s?\b", " ", plain))


@cache
def singulars(word: str) -> frozenset[str]:
    """The word, and what it can be the plural of: knives -> knives, knive, knif, knife."""
    found = {word}
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        found.add(word[:-1])
        if SIBILANT.search(word):
            found.add(word[:-2])
        if word.endswith("ies"):
            found.add(f"{word[:-3]}y")
        if word.endswith("ves"):
            found |= {f"{word[:-3]}f", f"{word[:-3]}fe"}
    return frozenset(found)


@cache
def stems(word: str) -> frozenset[str]:
    """The word, its singular, and the verbs that it can be a form of: sawing -> saw, drilled -> drill, taping -> tape,
    clipping -> clip. Two words are forms of one if they share a stem."""
    found = set(singulars(word))
    for ending in ("ing", "ed"):
        begin = word.removesuffix(ending)
        if begin != word and len(begin) > 2 and any(letter in VOWELS for letter in begin):
            found |= {begin, f"{begin}e"}
            if begin[-1] == begin[-2]:
                found.add(begin[:-1])
    return frozenset(found)


def vocabulary(name: str) -> frozenset[str]:
    """The words of a list of ``vocabulary.json``."""
    return frozenset(_VOCABULARY[name].split())


def mentions(words: Sequence[str], name: Sequence[str]) -> Iterator[str]:
    """The words of a text, one or several in a row, that are this name in singular or plural, however it is joined."""
    joined = "".join(name)
    if len(joined) < 2:
        return
    forms = singulars(joined)
    for count in range(1, max(MOST_JOINED, len(name)) + 1):
        for at in range(len(words) - count + 1):
            row = words[at : at + count]
            if any("".join((*row[:-1], last)) in forms for last in singulars(row[-1])) or _same(row, name):
                yield " ".join(row)


def _same(row: Sequence[str], name: Sequence[str]) -> bool:
    return len(row) == len(name) and all(
        singulars(one) & singulars(other) for one, other in zip(row, name, strict=True)
    )
