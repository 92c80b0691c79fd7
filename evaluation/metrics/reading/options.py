"""The options of a question, made ready for reading."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from string import ascii_uppercase

from evaluation.metrics.reading.comparing import flat, folded, trimmed
from evaluation.metrics.reading.languages import NOES, YES
from evaluation.metrics.reading.numbers import WORDS, Number, number_of
from evaluation.metrics.reading.presentation import plain_words


@dataclass(frozen=True, slots=True)
class Options:
    """Options by letter.

    Attributes:
        letters: all letters that are one; every letter where the options are unknown.
        known: the options are known.
        folds: form of each text for comparing, of options with a text.
        by_fold: letter of each form; "" where two options share it.
        texts: (text to search for, letter), the longest first.
        initials: the first characters of these texts.
        numbers: letter -> number, of options that are one.
        yes, no: letters of the options yes and no, "" unless both are options.
        longest: characters of the longest text.
    """

    letters: frozenset[str]
    known: bool
    folds: dict[str, str]
    by_fold: dict[str, str]
    texts: tuple[tuple[str, str], ...]
    initials: frozenset[str]
    numbers: dict[str, Number]
    yes: str
    no: str
    longest: int

    def by_number(self, number: Number | None) -> str:
        """The letter of the only option whose number is ``number``, a unit on at most one side or the same on both."""
        if number is None:
            return ""
        same = [
            letter
            for letter, own in self.numbers.items()
            if own.value == number.value and (own.unit == number.unit or not own.unit or not number.unit)
        ]
        exact = [letter for letter in same if self.numbers[letter].unit == number.unit]
        if len(same) > 1 and len(exact) == 1 and number.unit:
            return exact[0]
        return same[0] if len(same) == 1 else ""


@lru_cache(maxsize=8192)
def prepared(options: tuple[tuple[str, str], ...]) -> Options:
    """Return prepared ``options``, given as pairs of letter and text; none if they are unknown."""
    folds: dict[str, str] = {}
    by_fold: dict[str, str] = {}
    texts: list[tuple[str, str]] = []
    numbers: dict[str, Number] = {}
    letters: set[str] = set()
    for written, words in options:
        letter = written.strip().upper()
        letters.add(letter)
        shown = plain_words(words)
        fold = folded(shown)
        if not fold:
            continue
        folds[letter] = fold
        by_fold[fold] = "" if fold in by_fold else letter
        looked_for = flat(trimmed(" ".join(shown.split())))
        texts.append((looked_for, letter))
        if fold != looked_for and len(fold) < len(looked_for):
            texts.append((fold, letter))
        may_be = fold in WORDS or any(character.isdigit() for character in fold)
        if may_be and (number := number_of(shown)):
            numbers[letter] = number
    yes = next((by_fold[word] for word in YES if by_fold.get(word)), "")
    no = next((by_fold[word] for word in NOES if by_fold.get(word)), "")
    texts.sort(key=lambda pair: -len(pair[0]))
    return Options(
        frozenset(letters or ascii_uppercase), bool(options), folds, by_fold, tuple(texts),
        frozenset(words[0] for words, _ in texts if words), numbers,
        yes if no else "", no if yes else "", max((len(words) for words, _ in texts), default=0),
    )  # fmt: skip
