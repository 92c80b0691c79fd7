"""Reading the chosen letter of a multiple-choice answer, never guessing (docs/metrics.md#answers, rules a to d)."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from string import ascii_uppercase

from evaluation.metrics.answer_text import QUOTES, known_text, normalised

_DELETED = str.maketrans("", "", "*`$")
_LONE = re.compile(r"[(\[]\s*([A-Za-z])\s*[)\]]|([A-Za-z])(?:[ \t]*(?:\n|\Z)|[.)\]:,;])")
_SPACED = re.compile(r"([A-Za-z])(?:\s*[-–—]\s*|\s+)(?=\S)")
_STATED = re.compile(
    r"(?:\banswer\s+is\b\s*:?|\banswer\s*:|\A(?:option|choice)\b\s*:?)\s*(?:(?:option|choice)\b\s*:?\s*)?[(\[]?\s*"
    r"(?-i:([A-Z]))(?![\w'’]|-\w)",
    re.IGNORECASE,
)
_SECOND = re.compile(r"\s*[)\]]?\s*(?:,\s*(?:or\b|and\b)?|/|&|or\b|and\b)\s*[(\[]?\s*([A-Z])(?![\w'’])")
_WORD = re.compile(r"[^\W_]+")


def read_letter(text: str, options: Mapping[str, str]) -> str:
    """The upper-case letter that ``text`` chooses, "" when it cannot be read.

    Args:
        text: the text of the answer (see ``answer_text``).
        options: letter -> text; empty when unknown: then any letter is one.

    The first rule that applies decides:
        a. a letter alone, in brackets, alone on the first line, or before . ) ] : , ; -- unless what follows is the
           text of another option or only other letters: then the answer contradicts itself and nothing is read;
        b. a letter, a space or dash, and the text of that option;
        c. the text of exactly one option;
        d. the last upper-case letter stated by "answer is", "answer:" or an initial "Option" / "Choice", no second
           letter beside it.

    >>> options = {"A": "black", "C": "white"}
    >>> [read_letter(t, options) for t in ("(c)", "C. white", "C. black", "black, so the answer is C")]
    ['C', 'C', '', 'C']
    """
    text = text.translate(_DELETED).strip(QUOTES + " \t\r\n")
    named = {letter.strip().upper(): words for letter, words in options.items()}
    letters = named.keys() if named else frozenset(ascii_uppercase)
    if (lone := _LONE.match(text)) and (letter := (lone[1] or lone[2]).upper()) in letters:
        return "" if _contradicts(text[lone.end() :], letter, named) else letter
    if (spaced := _SPACED.match(text)) and _same(text[spaced.end() :], named.get(spaced[1].upper(), "")):
        return spaced[1].upper()
    spelt = [letter for letter, words in named.items() if _same(text, words)]
    return spelt[0] if len(spelt) == 1 else _stated(text, letters)


def _contradicts(rest: str, letter: str, named: Mapping[str, str]) -> bool:
    """Whether ``rest``, behind the letter, is the text of another option or consists of letters, others among them."""
    if not rest.strip():
        return False
    if named and _same(rest, named[letter]):
        return False
    if any(_same(rest, words) for other, words in named.items() if other != letter):
        return True
    listed = {word.upper() for word in _WORD.findall(rest)} - {"AND", "OR"}
    return bool(listed - {letter}) and listed <= (named.keys() if named else frozenset(ascii_uppercase))


def _same(text: str, words: str) -> bool:
    return bool(words.strip()) and len(text) < 4 * len(words) + 64 and normalised(text) == known_text(words)


def _stated(text: str, letters: Container[str]) -> str:
    """The last letter that a phrase states, "" when none does."""
    # Single spaces: the pattern takes quadratic time over long runs of them.
    text = " ".join(text.split())
    found = ""
    for match in _STATED.finditer(text):
        second = _SECOND.match(text, match.end())
        if match[1] in letters and not (second and second[1] in letters):
            found = match[1]
    return found
