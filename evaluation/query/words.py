"""The words of a text, and whether a text contains a phrase: the same on every database.

A word is a run of letters and digits of any script, ignoring case and the encoding of letters. Everything else
separates words. Han characters and kana are written without gaps: each is a word. Only the first ``LONGEST`` characters
of a word count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

LONGEST = 64
STAR = "*"
_WITHOUT_GAPS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_PLAIN = re.compile(r"[a-z0-9]+")
_ANY = re.compile(rf"[{_WITHOUT_GAPS}]|[^\W_{_WITHOUT_GAPS}]+")
_OR_STAR = re.compile(rf"{_ANY.pattern}|\*")


@dataclass(frozen=True, slots=True)
class Word:
    """``begins``: any word that begins so is meant."""

    text: str
    begins: bool = False


def words_of(text: str) -> list[str]:
    """The words of a text in order."""
    return _words_of(_folded(text))


def phrase_of(text: str) -> tuple[Word, ...]:
    """The consecutive words of a phrase. A star after a word, ``zoom*``, matches all words with this beginning.

    A phrase without a word cannot be searched: ()."""
    found: list[Word] = []
    end = -1
    for match in _OR_STAR.finditer(_folded(text)):
        if match[0] != STAR:
            found.append(Word(match[0][:LONGEST]))
        elif found and match.start() == end:
            found[-1] = Word(found[-1].text, begins=True)
        end = match.end()
    return tuple(found)


def holds(text: str, phrase: Sequence[Word]) -> bool:
    """Whether a text contains the words of a phrase, one directly after the other. An empty phrase is in no text."""
    folded = _folded(text)
    # Words are parts of the folded text: to look for them there is faster than to split it.
    if not phrase or not all(wanted.text in folded for wanted in phrase):
        return False
    return _pattern(tuple(phrase)).search(f" {' '.join(_words_of(folded))} ") is not None


@lru_cache(16)
def _pattern(phrase: tuple[Word, ...]) -> re.Pattern[str]:
    """Return the pattern of a phrase in a text of words with spaces between and around them."""
    return re.compile(f" {' '.join(word.text + '[^ ]*' * word.begins for word in phrase)} ")


def _words_of(folded: str) -> list[str]:
    found: list[str] = (_PLAIN if folded.isascii() else _ANY).findall(folded)
    return found if len(folded) <= LONGEST else [word[:LONGEST] for word in found]


def _folded(text: str) -> str:
    return (
        text.lower()
        if text.isascii()
        else unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    )
