"""Finding the answer inside what a model wrote, and comparing texts (docs/metrics.md#answers)."""

from __future__ import annotations

import re
from functools import lru_cache

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
