"""What the words of a text are, and when a text holds a phrase: one meaning on every database.

A word is a run of letters and digits, of any script, without regard to case and to how a letter is encoded; everything
else stands between words. Han characters and kana are written without gaps: each is a word. Of a word the first
``LONGEST`` characters count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

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

    def meets(self, word: str) -> bool:
        return word.startswith(self.text) if self.begins else word == self.text


def words_of(text: str) -> list[str]:
    """The words of a text in order."""
    found: list[str] = _PLAIN.findall(text.lower()) if text.isascii() else _ANY.findall(_folded(text))
    return found if len(text) <= LONGEST else [word[:LONGEST] for word in found]


def phrase_of(text: str) -> tuple[Word, ...]:
    """The words that have to stand one behind the other. A star right behind a word, ``zoom*``, means all that begin
    so. Without a word in it nothing can be looked for: ()."""
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
    """Whether the words of a phrase stand in a text, one right behind the other. No phrase is in no text."""
    there, size = words_of(text), len(phrase)
    return bool(phrase) and any(
        all(wanted.meets(word) for wanted, word in zip(phrase, there[place : place + size], strict=True))
        for place in range(len(there) - size + 1)
    )


def _folded(text: str) -> str:
    return (
        text.lower()
        if text.isascii()
        else unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    )
