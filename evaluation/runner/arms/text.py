"""The changes of arms to the text of a trajectory, and the differences between two texts.

Calls in the text stay unchanged: only the text around them is reasoning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from annotation.marking import gettext_noop
from evaluation.runner.arms.catalogue import CannotApply
from evaluation.runner.arms.words import COLORS, LETTERS, NUMBERS, SIDES, TRUTHS

MOST_CHANGED = 0.15
"""The maximum share of characters that a mistake may change."""
MARKER = "<answer>"
_CALL = re.compile(
    r"<tool_call>.*?(?:</tool_call>|\Z)|<code>.*?(?:</code>|\Z)|```.*?(?:```|\Z)|\{\s*\"tool\".*\Z|</?think>",
    re.DOTALL,
)
_WORD = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+")
_OPTION = re.compile(r"\b[Oo]ption ([A-H])\b")
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|\n+|\Z)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fact:
    """A stated fact: its position, and its replacement."""

    start: int
    end: int
    new: str


def edited(text: str, change: Callable[[str], str]) -> str:
    """Return the text with each part between its calls and thought tags changed."""
    made, place = [], 0
    for call in _CALL.finditer(text):
        made += [change(text[place : call.start()]), call.group()]
        place = call.end()
    return "".join([*made, change(text[place:])])


def reasoning_in(text: str) -> str:
    """Return a text without its calls and thought tags."""
    return _CALL.sub("", text)


def dotted(text: str) -> str:
    """Return dots of equal length; white space stays."""
    return re.sub(r"\S", ".", text)


def with_mistakes(texts: Sequence[str], number: int, rng: np.random.Generator, answer: str) -> list[str]:
    """Return the texts with ``number`` stated facts changed: numbers, colors, sides, letters of options, yes and no.

    A fact that is the answer itself is not changed. At most 15% of the characters change. Raises ``CannotApply`` if the
    texts state fewer facts.
    """
    found = [(row, fact) for row, text in enumerate(texts) for fact in facts_in(text, answer)]
    whole = sum(len(text) for text in texts)
    order = [found[place] for place in rng.permutation(len(found))]
    taken: list[tuple[int, Fact]] = []
    changed = 0
    for row, fact in order:
        size = max(fact.end - fact.start, len(fact.new))
        if len(taken) < number and changed + size <= MOST_CHANGED * whole:
            taken.append((row, fact))
            changed += size
    if len(taken) < number:
        raise CannotApply(gettext_noop("The text states too few facts that can be changed."))
    made = list(texts)
    for row, fact in sorted(taken, key=lambda one: -one[1].start):
        made[row] = made[row][: fact.start] + fact.new + made[row][fact.end :]
    return made


def facts_in(text: str, answer: str) -> list[Fact]:
    """Return the facts that a text states, in order, without those inside calls and those that are the answer."""
    calls = [(call.start(), call.end()) for call in _CALL.finditer(text)]
    said = answer.strip().casefold()
    found = [
        Fact(match.start(1), match.end(1), LETTERS[(LETTERS.index(match[1]) + 1) % 4])
        for match in _OPTION.finditer(text)
    ]
    for match in _WORD.finditer(text):
        new = _other(match.group())
        if new is not None:
            found.append(Fact(match.start(), match.end(), new))
    kept = [
        fact
        for fact in found
        if text[fact.start : fact.end].casefold() != said and not any(start <= fact.start < end for start, end in calls)
    ]
    return sorted(kept, key=lambda fact: fact.start)


def _other(word: str) -> str | None:
    """Return another fact of the same kind in the same notation; None for a word that states none."""
    low = word.casefold()
    if word.replace(".", "", 1).isdigit():
        whole, dot, rest = word.partition(".")
        return f"{int(whole) + 2}{dot}{rest}" if len(whole) < 16 else None
    if low in NUMBERS:
        return _alike(word, NUMBERS[(NUMBERS.index(low) + 2) % len(NUMBERS)])
    if low in COLORS:
        return _alike(word, COLORS[(COLORS.index(low) + 5) % len(COLORS)])
    other = SIDES.get(low) or TRUTHS.get(low)
    return _alike(word, other) if other else None


def _alike(word: str, other: str) -> str:
    return other.upper() if word.isupper() and len(word) > 1 else other.capitalize() if word[0].isupper() else other


def replaced(texts: Sequence[str], old: str, new: str, answer: str) -> list[str]:
    """Return the texts with one fact changed that a judge named. Raises ``CannotApply`` if the fact is not in the
    texts, is the answer, or is more than 15% of the characters.
    """
    whole = sum(len(text) for text in texts)
    if old.strip().casefold() == answer.strip().casefold() or max(len(old), len(new)) > MOST_CHANGED * whole:
        raise CannotApply(gettext_noop("The judge changed the answer itself, or too much of the text."))
    made = list(texts)
    for row in reversed(range(len(made))):
        place = reasoning_place(made[row], old)
        if place >= 0:
            made[row] = made[row][:place] + new + made[row][place + len(old) :]
            return made
    raise CannotApply(gettext_noop("The fact that the judge named is not in the text."))


def reasoning_place(text: str, words: str) -> int:
    """Return the last position of words outside of calls, or -1 if there is none."""
    calls = [(call.start(), call.end()) for call in _CALL.finditer(text)]
    place = text.rfind(words)
    while place >= 0 and any(start <= place < end for start, end in calls):
        place = text.rfind(words, 0, place)
    return place


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text, each with the white space after it. Joined, they are the text."""
    return _SENTENCE.findall(text)


def rotated(options: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the options with each text moved to the next letter, and the previous letter of each new one."""
    letters = list(options)
    if len(letters) < 2:
        raise CannotApply(gettext_noop("The sample has no options."))
    before = {letters[(place + 1) % len(letters)]: letter for place, letter in enumerate(letters)}
    return {letter: options[before[letter]] for letter in letters}, before


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of two texts: ``same``, or what ``old`` became ``new``."""

    same: str = ""
    old: str = ""
    new: str = ""


def changed_words(old: str, new: str) -> list[Piece]:
    """Return two texts as one sequence of equal and changed words."""
    first, second = re.findall(r"\s+|\w+|[^\w\s]", old), re.findall(r"\s+|\w+|[^\w\s]", new)
    found = []
    for tag, a1, a2, b1, b2 in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if tag == "equal":
            found.append(Piece(same="".join(first[a1:a2])))
        else:
            found.append(Piece(old="".join(first[a1:a2]), new="".join(second[b1:b2])))
    return found
