"""The reader of answers before the rules were a table: the reference of ``test_reading_earlier``."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import lru_cache
from string import ascii_uppercase

QUOTES = "\"'`“”‘’«»"
"""Quotation marks, straight and typographic."""

_OUTER = frozenset(".,;:!?…()[]{}*_-–—。，；：！？、" + QUOTES)
_SIGNED_NUMBER = re.compile(r"[-–—]?\.?\d")
_CURLY, _ROUND = re.compile(r"[{}]"), re.compile(r"[()]")
_OPEN, _CLOSE, _THINK = "<answer>", "</answer>", "</think>"
_WRAPPERS = (r"\text{", r"\mathrm{", r"\mathbf{", r"\textbf{")


def answer_text(written: str | None) -> str:
    r"""What the answer says: "" when it is missing.

    The inside of the last ``<answer>..</answer>``, else what follows the last ``</think>``, else everything; in it
    the inside of the last closed ``boxed{..}`` or ``boxed(..)``; in it the inside of ``\text{..}`` and its relatives.

    >>> answer_text(r"<answer>so \boxed{\frac{1}{2}}</answer>")
    '\\frac{1}{2}'
    """
    if not written:
        return ""
    text = _answered(written) if "<" in written else written
    if "boxed" in text:
        text = _boxed(text)
    text = text.strip()
    if text.startswith("\\"):
        for _ in _WRAPPERS:
            text = _unwrapped(text)
    return text


def normalised(text: str) -> str:
    """``text`` for comparing: casefolded, whitespace collapsed, outer punctuation stripped.

    Outer punctuation is that of sentences, quotes, brackets and markdown. What makes a number another number stays:
    a leading minus or decimal point before a digit, a percent or currency sign. A text of punctuation alone is kept.

    >>> normalised(' "Light  Blue." '), normalised("-5"), normalised("?")
    ('light blue', '-5', '?')
    """
    plain = " ".join(text.casefold().split())
    begin, end = 0, len(plain)
    while end > begin and (plain[end - 1] in _OUTER or plain[end - 1] == " "):
        end -= 1
    while begin < end and (plain[begin] in _OUTER or plain[begin] == " "):
        if _SIGNED_NUMBER.match(plain, begin):
            break
        begin += 1
    return plain[begin:end] or plain


known_text = lru_cache(maxsize=65_536)(normalised)
"""``normalised`` for the texts of samples, which many answers are compared with."""


def _answered(text: str) -> str:
    last = text.rfind(_CLOSE)
    if last >= 0 and (begin := text.rfind(_OPEN, 0, last)) >= 0:
        return text[begin + len(_OPEN) : text.index(_CLOSE, begin)]
    after = text.rpartition(_THINK)[2] if _THINK in text else ""
    return after if after.strip() else text


def _boxed(text: str) -> str:
    """The inside of the last closed box, else the whole text."""
    closings = _closings(_CURLY, text) | _closings(_ROUND, text)
    begin = len(text)
    while (begin := text.rfind("boxed", 0, begin)) >= 0:
        bracket = begin + len("boxed")
        if bracket in closings:
            return text[bracket + 1 : closings[bracket]]
    return text


def _closings(brackets: re.Pattern[str], text: str) -> dict[int, int]:
    """Where each bracket of one kind closes; one that never does is left out. One pass over any text."""
    closings: dict[int, int] = {}
    waiting: list[int] = []
    for bracket in brackets.finditer(text):
        if bracket[0] in "({":
            waiting.append(bracket.start())
        elif waiting:
            closings[waiting.pop()] = bracket.start()
    return closings


def _unwrapped(text: str) -> str:
    for wrapper in _WRAPPERS:
        if text.startswith(wrapper) and _closings(_CURLY, text).get(len(wrapper) - 1) == len(text) - 1:
            return text[len(wrapper) : -1].strip()
    return text


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
